package dev.outbox.sample.recovery;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The roles of a guild as they once were. */
record Snapshot(UUID id, String guildId, String trigger, List<String> roles, Instant takenAt) {}
