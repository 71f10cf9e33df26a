package dev.outbox.internal.failure;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Looks through an exception and what caused it. */
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

    /** An exception's own code may fail too. */
    private static @Nullable Throwable causeOf(Throwable ex) {
        try {
            return ex.getCause();
        } catch (RuntimeException broken) {
            return null;
        }
    }
}
