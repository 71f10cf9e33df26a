/** Stores an event in the transaction of its caller. */
@NullMarked
package dev.outbox.publish;

import org.jspecify.annotations.NullMarked;
