package dev.outbox.kafka.internal.inbox;

import java.util.Map;
import java.util.Objects;

/** Inboxes of this instance by name. */
public record Inboxes(Map<String, Inbox> all) {

    public Inboxes {
        all = Map.copyOf(all);
    }

    public Inbox named(String name) {
        return Objects.requireNonNull(all.get(name), () -> "there is no inbox " + name);
    }
}
