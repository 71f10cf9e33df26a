package dev.outbox.internal.dispatch;

import dev.outbox.internal.failure.Failure;
import java.time.Duration;

/** What came of offering an event to one handler. */
public sealed interface Outcome {

    /** Says whether the handler's later events of the same aggregate have to wait. */
    boolean blocksLane();

    /** The handler returned. */
    record Succeeded() implements Outcome {

        @Override
        public boolean blocksLane() {
            return false;
        }
    }

    /** The handler failed and is to be tried again. */
    record Failed(Failure failure, Duration retryIn, boolean counts) implements Outcome {

        @Override
        public boolean blocksLane() {
            return true;
        }
    }

    /** The handler failed and is not to be tried again. */
    record Dead(Failure failure, boolean blocksLane) implements Outcome {}

    /** The handler was not invoked: its lane for the aggregate has earlier work, or it is paused. */
    record Queued() implements Outcome {

        @Override
        public boolean blocksLane() {
            return true;
        }
    }

    /** The handler cannot be invoked here: it lives in another process. */
    record Delegated() implements Outcome {

        @Override
        public boolean blocksLane() {
            return true;
        }
    }

    /** The handler was stopped by the end of the process: nothing is known, and nothing is to be written. */
    record Abandoned() implements Outcome {

        @Override
        public boolean blocksLane() {
            return true;
        }
    }
}
