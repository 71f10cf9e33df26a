package dev.outbox.kafka.autoconfigure;

import dev.outbox.kafka.internal.inbox.Inbox;
import java.util.List;

/** Inboxes of this instance. */
record Inboxes(List<Inbox> all) {

    Inboxes {
        all = List.copyOf(all);
    }

    Inbox named(String name) {
        return all.stream()
                .filter((inbox) -> inbox.settings().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no inbox " + name));
    }
}
