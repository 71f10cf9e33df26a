package dev.outbox.internal.failure;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Parts of an exception, read although its own methods may throw; it is readable if none did. */
record ThrowableParts(
        @Nullable String message,
        @Nullable Throwable cause,
        List<Throwable> others,
        List<StackTraceElement> stackTrace,
        boolean readable) {

    static final String NO_MESSAGE = "its message could not be read";

    static ThrowableParts of(Throwable ex) {
        Reading reading = new Reading();
        List<Throwable> others = new ArrayList<>(List.of(ex.getSuppressed()));
        Throwable next = ex instanceof SQLException sql ? reading.of(sql::getNextException, null) : null;
        if (next != null) {
            others.add(next);
        }
        String message = reading.of(ex::getMessage, NO_MESSAGE);
        Throwable cause = reading.of(ex::getCause, null);
        List<StackTraceElement> stackTrace = reading.of(() -> List.of(ex.getStackTrace()), List.of());
        reading.of(ex::toString, null);
        return new ThrowableParts(
                message, cause, others, stackTrace == null ? List.of() : stackTrace, reading.succeeded);
    }

    /** Returns the exceptions that a log shows below this one. */
    List<Throwable> behind() {
        List<Throwable> behind = new ArrayList<>(others);
        if (cause != null) {
            behind.add(cause);
        }
        return behind;
    }

    private static final class Reading {

        private boolean succeeded = true;

        private <T> @Nullable T of(Supplier<@Nullable T> part, @Nullable T otherwise) {
            try {
                return part.get();
            } catch (Throwable broken) {
                succeeded = false;
                return otherwise;
            }
        }
    }
}
