/**
 * Redeliveries: the ordered backlog of one handler for one aggregate. {@link LaneSql} explains the protocol, and what a crash changes.
 *
 * <p>Front doors: {@link RetryLanes}, {@link LaneSql}. Beside them: {@link DeliveryRef}, {@link SingleEventStore}. Tables: outbox_lane, outbox_delivery; of other rooms: outbox, outbox_claim, outbox_handler, outbox_incarnation, outbox_stream.
 */
@NullMarked
package dev.outbox.internal.lane;

import org.jspecify.annotations.NullMarked;
