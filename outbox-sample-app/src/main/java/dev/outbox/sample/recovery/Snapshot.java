package dev.outbox.sample.recovery;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Roles of a guild at a point in time. */
record Snapshot(UUID id, String guildId, String trigger, List<String> roles, Instant takenAt) {}
