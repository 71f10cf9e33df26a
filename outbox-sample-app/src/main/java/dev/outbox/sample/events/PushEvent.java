package dev.outbox.sample.events;

import java.util.UUID;

/** What push tells itself: one event per message, so that each is tried again on its own; about the aggregate {@code push}. */
public sealed interface PushEvent {

    /** The stream of everything that leads to a message. */
    String STREAM = "push";

    /** A message is in somebody's inbox, and is to be sent to the phone. */
    record PushRequested(UUID notificationId) implements PushEvent {}
}
