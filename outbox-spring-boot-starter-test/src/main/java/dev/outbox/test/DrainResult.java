package dev.outbox.test;

import dev.outbox.listener.OutboxListener.Result;
import java.util.List;
import java.util.function.Consumer;

/** Outcome of {@link OutboxTester#drain()}. A test that reads failed attempts from it {@linkplain OutboxTester#expectFailures expects} them. */
public final class DrainResult {

    private final List<Attempt> attempts;
    private final Consumer<Attempt> seen;

    DrainResult(List<Attempt> attempts, Consumer<Attempt> seen) {
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
        attempts.stream()
                .filter((attempt) -> attempt.result() != Result.SUCCESS)
                .forEach(seen);
        return attempts;
    }

    /** {@return the number of attempts that succeeded} */
    public int handled() {
        return with(Result.SUCCESS).size();
    }

    /** {@return the number of attempts that failed and will be retried} */
    public int retried() {
        return see(Result.RETRY);
    }

    /** {@return the number of attempts after which a delivery is dead} */
    public int dead() {
        return see(Result.DEAD);
    }

    private int see(Result result) {
        List<Attempt> failed = with(result);
        failed.forEach(seen);
        return failed.size();
    }

    private List<Attempt> with(Result result) {
        return attempts.stream().filter((attempt) -> attempt.result() == result).toList();
    }

    @Override
    public String toString() {
        return attempts.toString();
    }
}
