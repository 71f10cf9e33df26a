/**
 * Feeds stored events to a handler again, at a rate, and paces the retries and skips that run in the background.
 *
 * <p>Front doors: {@link JdbcReplays}, {@link ReplayFeeder}. Tables: outbox_replay; of other rooms: outbox, outbox_claim, outbox_delivery,
 * outbox_operation, outbox_stream, processed_event.
 */
@NullMarked
package dev.outbox.operations.internal.replay;

import org.jspecify.annotations.NullMarked;
