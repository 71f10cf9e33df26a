package dev.outbox.chaos.history;

import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Started;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One run of a handler's body. */
public final class Execution {

    private Started started;
    private @Nullable Ended ended;
    private long diedAt = Long.MAX_VALUE;

    Execution(Started started) {
        this.started = started;
    }

    /** Returns how it began. */
    public Started started() {
        return started;
    }

    /** Returns how it ended; {@code null} if its process died first. */
    public @Nullable Ended ended() {
        return ended;
    }

    /** Returns when it ended, or its process died; the end of time if neither is known. */
    public long end() {
        Ended known = ended;
        return known == null ? diedAt : known.at();
    }

    /** Returns whether the body succeeded. */
    public boolean succeeded() {
        return ended != null && ended.outcome() == Outcome.SUCCEEDED;
    }

    /** Returns whether the body failed or was interrupted. */
    public boolean failed() {
        return ended != null && ended.outcome() != Outcome.SUCCEEDED;
    }

    void end(Ended fact) {
        ended = fact;
    }

    /** Returns the current id of a renamed handler. */
    void rename(UnaryOperator<String> currentHandler) {
        String current = currentHandler.apply(started.handler());
        if (!current.equals(started.handler())) {
            started = new Started(
                    started.at(),
                    started.process(),
                    current,
                    started.eventId(),
                    started.aggregateType(),
                    started.aggregateId(),
                    started.sequence(),
                    started.attempt(),
                    started.payload(),
                    started.headers(),
                    started.replayed());
        }
    }

    void die(long at) {
        diedAt = at;
    }

    @Override
    public String toString() {
        return started.at() + " " + started.process() + " " + started.handler() + " attempt " + started.attempt() + " "
                + (ended == null ? "without an end" : ended.outcome() + " at " + ended.at());
    }
}
