/**
 * Redeliveries: the ordered backlog of one handler for one aggregate.
 *
 * <p>Front doors: {@link RetryLanes}; {@link LaneSql} for transactions of other rooms that change lanes. Tables: outbox_lane,
 * outbox_delivery.
 */
@NullMarked
package dev.outbox.internal.lane;

import org.jspecify.annotations.NullMarked;
