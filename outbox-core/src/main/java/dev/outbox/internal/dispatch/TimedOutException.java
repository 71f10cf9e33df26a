package dev.outbox.internal.dispatch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A handler was interrupted because it took too long. */
final class TimedOutException extends Exception {

    private static final long serialVersionUID = 1L;

    TimedOutException(Duration limit, @Nullable Throwable cause) {
        super("the handler was interrupted after " + limit.toMillis() + " ms", cause);
    }
}
