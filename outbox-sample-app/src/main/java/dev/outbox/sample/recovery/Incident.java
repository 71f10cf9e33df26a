package dev.outbox.sample.recovery;

import java.util.List;
import java.util.UUID;

/** An attack on a guild, and what was done about it. */
record Incident(UUID id, String guildId, String pattern, List<String> suspects, List<String> actions) {}
