package dev.outbox.internal.failure;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Parts of an exception, read although its own methods may throw. */
record ThrowableParts(
        @Nullable String message,
        @Nullable Throwable cause,
        List<Throwable> others,
        List<StackTraceElement> stackTrace) {

    static ThrowableParts of(Throwable ex) {
        List<Throwable> others = new ArrayList<>(List.of(ex.getSuppressed()));
        if (ex instanceof SQLException sql && sql.getNextException() != null) {
            others.add(sql.getNextException());
        }
        return new ThrowableParts(
                read(ex::getMessage, "its message could not be read"),
                read(ex::getCause, null),
                others,
                List.of(ex.getStackTrace()));
    }

    /** Returns the exceptions that a log shows below this one. */
    List<Throwable> behind() {
        List<Throwable> behind = new ArrayList<>(others);
        if (cause != null) {
            behind.add(cause);
        }
        return behind;
    }

    private static <T> @Nullable T read(Supplier<@Nullable T> part, @Nullable T otherwise) {
        try {
            return part.get();
        } catch (RuntimeException broken) {
            return otherwise;
        }
    }
}
