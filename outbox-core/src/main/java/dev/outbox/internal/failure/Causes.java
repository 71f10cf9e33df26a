package dev.outbox.internal.failure;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Search in an exception and its causes. */
public final class Causes {

    private static final int DEEPEST = 20;

    private Causes() {}

    public static boolean anyMatch(Throwable ex, Predicate<Throwable> predicate) {
        Throwable cause = ex;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (predicate.test(cause)) {
                return true;
            }
            cause = causeOf(cause);
        }
        return false;
    }

    /** An exception's own methods can throw too. */
    private static @Nullable Throwable causeOf(Throwable ex) {
        try {
            return ex.getCause();
        } catch (RuntimeException broken) {
            return null;
        }
    }
}
