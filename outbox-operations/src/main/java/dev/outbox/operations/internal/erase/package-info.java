/**
 * Erases the content of events, for good, with a right of its own.
 *
 * <p>Front door: {@link Eraser}. Tables: none; of other rooms: outbox, outbox_aggregate, outbox_delivery, outbox_operation,
 * outbox_scheduled.
 */
@NullMarked
package dev.outbox.operations.internal.erase;

import org.jspecify.annotations.NullMarked;
