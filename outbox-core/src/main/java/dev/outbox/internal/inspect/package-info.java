/**
 * What console, endpoint and health read. Changes nothing.
 *
 * <p>Front door: {@link JdbcInspector}. Beside it: {@link QueueGauges}, {@link UnpolledStreams}. Tables: none; of other rooms: outbox,
 * outbox_aggregate, outbox_aggregate_type, outbox_claim, outbox_delivery, outbox_lane, outbox_operation,
 * outbox_scheduled, outbox_stream.
 */
@NullMarked
package dev.outbox.internal.inspect;

import org.jspecify.annotations.NullMarked;
