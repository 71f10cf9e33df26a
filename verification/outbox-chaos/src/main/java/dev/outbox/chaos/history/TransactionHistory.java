package dev.outbox.chaos.history;

import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Intended;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Transaction of a publisher. */
public final class TransactionHistory {

    private final String name;
    private final long intendedAt;
    private final List<EventHistory> events = new ArrayList<>(1);
    private @Nullable Completed completed;

    TransactionHistory(Intended intended) {
        this.name = intended.transaction();
        this.intendedAt = intended.at();
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    /** Returns when the publisher began it. */
    public long intendedAt() {
        return intendedAt;
    }

    /** Returns when the publisher knew its outcome; the end of time if it never did. */
    public long completedAt() {
        return completed == null ? Long.MAX_VALUE : completed.at();
    }

    /** Returns what the publisher knows of it. */
    public Commit outcome() {
        return completed == null ? Commit.UNKNOWN : completed.outcome();
    }

    /** Returns its events. */
    public List<EventHistory> events() {
        return Collections.unmodifiableList(events);
    }

    void add(EventHistory event) {
        events.add(event);
    }

    void complete(Completed fact) {
        completed = fact;
    }

    @Override
    public String toString() {
        return "transaction " + name + " begun at " + intendedAt + ", " + outcome();
    }
}
