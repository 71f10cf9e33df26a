package dev.outbox.chaos.check;

import dev.outbox.chaos.history.History;
import java.util.Locale;

/** Something that must hold of every history. */
interface Rule {

    /** Adds what breaks it. */
    void check(History history, Violations violations);

    /** Returns the name by which the report calls it: that of its class, in words. */
    default String name() {
        return getClass().getSimpleName().replaceAll("(?<=.)([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
