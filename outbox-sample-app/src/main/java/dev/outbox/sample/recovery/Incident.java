package dev.outbox.sample.recovery;

import java.util.List;
import java.util.UUID;

/** Attack on a guild, open until the actions taken are stored. */
record Incident(UUID id, String guildId, String pattern, List<String> suspects, List<String> actions) {

    boolean isOpen() {
        return actions.isEmpty();
    }
}
