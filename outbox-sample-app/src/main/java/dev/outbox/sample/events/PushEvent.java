package dev.outbox.sample.events;

import java.util.UUID;

/** What push tells itself: one event per message, so that each is tried again on its own; about the aggregate {@code push}. */
public sealed interface PushEvent {

    /** A message is in somebody's inbox, and is to be sent to the phone. */
    record PushRequested(UUID notificationId) implements PushEvent {}
}
