/**
 * Moves scheduled events into the order of their aggregates when they are due.
 *
 * <p>Front door: {@link ScheduleMover}. Tables: outbox_scheduled; of other rooms: outbox, outbox_aggregate, outbox_aggregate_type,
 * outbox_stream.
 */
@NullMarked
package dev.outbox.internal.schedule;

import org.jspecify.annotations.NullMarked;
