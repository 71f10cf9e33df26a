package dev.outbox.sample.events;

import java.util.UUID;

/** Internal events of push. */
public sealed interface PushEvent {

    /**
     * A message was added to a user's inbox and must be sent to the device. Aggregate {@code push}, one event per message, so that the
     * outbox retries each message separately.
     */
    record PushRequested(UUID notificationId) implements PushEvent {}

    /** A notice must be delivered to the next users after a user id. Aggregate {@code notice_batch}. */
    record NoticeBatchRequested(UUID noticeId, String after) implements PushEvent {}
}
