/**
 * Work that no running instance takes: deliveries of absent handlers, and streams. Reports it, and ends the registrations that expire.
 *
 * <p>Front doors: {@link HandlerExpiry}, {@link UnpolledStreams}. Beside them: {@link Absent}, {@link Expired}. Tables: none; of other
 * rooms: outbox, outbox_delivery, outbox_handler, outbox_instance, outbox_lane, outbox_operation, outbox_replay, outbox_scheduled,
 * outbox_subscription.
 */
@NullMarked
package dev.outbox.internal.absence;

import org.jspecify.annotations.NullMarked;
