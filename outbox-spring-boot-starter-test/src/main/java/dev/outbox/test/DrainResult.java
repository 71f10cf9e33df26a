package dev.outbox.test;

import dev.outbox.listener.OutboxListener.Result;
import java.util.List;

/**
 * Outcome of {@link OutboxTester#drain()}.
 *
 * @param attempts the attempts, in their order
 */
public record DrainResult(List<Attempt> attempts) {

    /** Copies the attempts. */
    public DrainResult {
        attempts = List.copyOf(attempts);
    }

    /**
     * Attempt to deliver an event to a handler.
     *
     * @param handlerId the handler
     * @param eventType the type of the event
     * @param result the outcome
     */
    public record Attempt(String handlerId, String eventType, Result result) {}

    /** {@return the number of attempts that succeeded} */
    public int handled() {
        return count(Result.SUCCESS);
    }

    /** {@return the number of attempts that failed and will be retried} */
    public int retried() {
        return count(Result.RETRY);
    }

    /** {@return the number of attempts after which a delivery is dead} */
    public int dead() {
        return count(Result.DEAD);
    }

    private int count(Result result) {
        return (int) attempts.stream()
                .filter((attempt) -> attempt.result() == result)
                .count();
    }
}
