package dev.outbox.sample.notification;

import java.time.Instant;
import java.util.UUID;

/** A message that was sent because of an event. */
record Notification(UUID eventId, String recipient, String message, Instant sentAt) {}
