/**
 * Counts what waits, for metrics and health. Each count is bounded, and cached.
 *
 * <p>Front doors: {@link QueueGauges}, {@link QueueStateStore}. Beside them: {@link QueueState}. Tables: none; of other rooms: outbox,
 * outbox_claim, outbox_delivery, outbox_handler, outbox_lane, outbox_scheduled, outbox_stream.
 */
@NullMarked
package dev.outbox.internal.gauges;

import org.jspecify.annotations.NullMarked;
