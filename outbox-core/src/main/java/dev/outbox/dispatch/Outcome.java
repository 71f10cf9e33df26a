package dev.outbox.dispatch;

import dev.outbox.store.Failure;
import java.time.Duration;

/** What came of offering an event to one handler. */
public sealed interface Outcome {

    /** The handler returned. */
    record Succeeded() implements Outcome {}

    /**
     * The handler failed and is to be tried again.
     *
     * @param failure what went wrong
     * @param retryIn the wait before the next attempt
     */
    record Failed(Failure failure, Duration retryIn) implements Outcome {}

    /**
     * The handler failed and is not to be tried again.
     *
     * @param failure what went wrong
     */
    record Dead(Failure failure) implements Outcome {}

    /** The handler was not invoked: its lane for the aggregate has earlier work, or it lives in another process. */
    record Queued() implements Outcome {}

    /** The handler was stopped by the end of the process: nothing is known, and nothing is to be written. */
    record Abandoned() implements Outcome {}
}
