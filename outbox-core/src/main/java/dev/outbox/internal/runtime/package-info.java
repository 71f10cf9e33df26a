/** Composition root: wires the outbox, starts it and stops it. */
@NullMarked
package dev.outbox.internal.runtime;

import org.jspecify.annotations.NullMarked;
