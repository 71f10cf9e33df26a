package dev.outbox.chaos.check;

import dev.outbox.chaos.history.History;
import java.util.List;

/** Something that must hold of every history. */
interface Rule {

    /** Returns the name by which the report calls it. */
    String name();

    /** Returns what breaks it. */
    List<Violation> check(History history);
}
