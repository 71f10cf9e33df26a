package dev.outbox.test;

import dev.outbox.listener.OutboxListener.Result;
import java.util.List;
import java.util.function.Consumer;

/** Outcome of {@link OutboxTester#drain()}. A test that reads failed attempts from it {@linkplain OutboxTester#expectFailures expects} them. */
public final class DrainResult {

    private final List<Attempt> attempts;
    private final Consumer<Result> seen;

    /** Tells the consumer which kind of failed attempts the test reads. */
    DrainResult(List<Attempt> attempts, Consumer<Result> seen) {
        this.attempts = List.copyOf(attempts);
        this.seen = seen;
    }

    /**
     * Attempt to deliver an event to a handler.
     *
     * @param handlerId the handler
     * @param eventType the type of the event
     * @param result the outcome
     */
    public record Attempt(String handlerId, String eventType, Result result) {}

    /** {@return the attempts, in their order} */
    public List<Attempt> attempts() {
        seen.accept(Result.RETRY);
        seen.accept(Result.DEAD);
        return attempts;
    }

    /** {@return the number of attempts that succeeded} */
    public int handled() {
        return count(Result.SUCCESS);
    }

    /** {@return the number of attempts that failed and will be retried} */
    public int retried() {
        seen.accept(Result.RETRY);
        return count(Result.RETRY);
    }

    /** {@return the number of attempts after which a delivery is dead} */
    public int dead() {
        seen.accept(Result.DEAD);
        return count(Result.DEAD);
    }

    private int count(Result result) {
        return (int) attempts.stream()
                .filter((attempt) -> attempt.result() == result)
                .count();
    }

    @Override
    public String toString() {
        return attempts.toString();
    }
}
