/** The operations behind the public interfaces. */
@NullMarked
package dev.outbox.internal.operations;

import org.jspecify.annotations.NullMarked;
