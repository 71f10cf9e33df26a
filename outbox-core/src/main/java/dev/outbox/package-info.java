/** Publishing and handling events, with the exceptions of both. */
@NullMarked
package dev.outbox;

import org.jspecify.annotations.NullMarked;
