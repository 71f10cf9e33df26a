/**
 * Commands of operators: retry, skip, pause, expire. They change the tables of claim, lane and registry under the rules of those packages.
 *
 * <p>Front door: {@link JdbcOperations}. Beside it: {@link HandlerExpiry}. Tables: none; of other rooms: outbox, outbox_delivery,
 * outbox_handler, outbox_instance, outbox_lane, outbox_operation, outbox_replay, outbox_stream, outbox_subscription.
 */
@NullMarked
package dev.outbox.internal.operate;

import org.jspecify.annotations.NullMarked;
