/**
 * Redeliveries: the ordered backlog of one handler for one aggregate.
 *
 * <p>Front door: {@link RetryLanes}. Tables: outbox_lane, outbox_delivery.
 */
@NullMarked
package dev.outbox.internal.lane;

import org.jspecify.annotations.NullMarked;
