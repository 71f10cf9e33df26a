/** Operations on the outbox: find, retry, skip, pause and replay. */
@NullMarked
package dev.outbox.operations;

import org.jspecify.annotations.NullMarked;
