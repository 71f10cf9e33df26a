package dev.outbox.sample.notification;

import java.time.Instant;
import java.util.UUID;

/** A message that a guild was sent because of an event. */
record Notification(UUID eventId, String guildId, String message, Instant sentAt) {}
