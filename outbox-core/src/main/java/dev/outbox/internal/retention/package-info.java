/**
 * Archives handled events, and removes what has outlived its time.
 *
 * <p>Front door: {@link Retention}. Beside it: {@link RetentionSettings}. Tables: the archive; of other rooms: outbox, outbox_delivery,
 * outbox_handler, outbox_operation, outbox_replay, outbox_stream, processed_event.
 */
@NullMarked
package dev.outbox.internal.retention;

import org.jspecify.annotations.NullMarked;
