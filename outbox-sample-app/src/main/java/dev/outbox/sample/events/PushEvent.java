package dev.outbox.sample.events;

import java.util.UUID;

/** Internal events of push, aggregate {@code push}: one event per message, so that the outbox retries each message separately. */
public sealed interface PushEvent {

    /** A message was added to a user's inbox and must be sent to the phone. */
    record PushRequested(UUID notificationId) implements PushEvent {}
}
