package dev.outbox.kafka.autoconfigure;

import java.util.Set;
import org.springframework.core.env.Environment;

/** Matches an application with at least one inbox. */
final class OnInboxes extends OnNames {

    OnInboxes() {
        super(ConfiguredInboxes.PREFIX, "inbox", "inboxes");
    }

    /** Returns the names of the inboxes. */
    static Set<String> names(Environment environment) {
        return names(environment, ConfiguredInboxes.PREFIX);
    }
}
