/**
 * What console and endpoint read. Changes nothing.
 *
 * <p>Front door: {@link JdbcInspector}. Beside it: {@link DeliveryRow}, {@link OperationLogStore}, {@link OperatorRequest}. Tables: none;
 * of other rooms: outbox, outbox_aggregate, outbox_aggregate_type, outbox_claim, outbox_delivery, outbox_handler, outbox_instance,
 * outbox_lane, outbox_operation, outbox_replay, outbox_stream.
 */
@NullMarked
package dev.outbox.operations.internal.inspect;

import org.jspecify.annotations.NullMarked;
