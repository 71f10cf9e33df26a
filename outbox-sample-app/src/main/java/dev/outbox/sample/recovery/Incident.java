package dev.outbox.sample.recovery;

import java.util.List;
import java.util.UUID;

/** Attack on a guild, with the actions taken. */
record Incident(UUID id, String guildId, String pattern, List<String> suspects, List<String> actions) {}
