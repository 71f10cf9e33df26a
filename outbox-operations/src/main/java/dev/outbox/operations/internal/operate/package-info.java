/**
 * Commands of operators: retry, skip, pause, expire, and what is scheduled. They change the tables of claim, lane and registry under the rules of those packages.
 *
 * <p>Front doors: {@link JdbcOperations}, {@link JdbcSchedule}. Tables: none; of other rooms: outbox, outbox_aggregate, outbox_delivery,
 * outbox_handler, outbox_lane, outbox_operation, outbox_replay, outbox_scheduled, outbox_stream.
 */
@NullMarked
package dev.outbox.operations.internal.operate;

import org.jspecify.annotations.NullMarked;
