/**
 * Tells the dead-letter methods of handlers about their dead letters.
 *
 * <p>Front door: {@link DeadLetterReporter}. Tables: none; of other rooms: outbox, outbox_delivery.
 */
@NullMarked
package dev.outbox.internal.deadletter;

import org.jspecify.annotations.NullMarked;
