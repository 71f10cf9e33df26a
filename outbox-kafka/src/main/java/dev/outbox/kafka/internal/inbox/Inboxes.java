package dev.outbox.kafka.internal.inbox;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Inboxes of this instance by name. */
public record Inboxes(Map<String, Inbox> all) {

    public Inboxes {
        all = Map.copyOf(all);
    }

    public Set<String> topics() {
        return all.values().stream()
                .flatMap((inbox) -> inbox.settings().topics().stream())
                .collect(Collectors.toSet());
    }
}
