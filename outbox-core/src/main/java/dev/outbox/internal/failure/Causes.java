package dev.outbox.internal.failure;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Search in an exception and its causes, up to the first whose own methods throw. */
public final class Causes {

    private static final int DEEPEST = 20;

    private Causes() {}

    public static boolean anyMatch(Throwable ex, Predicate<Throwable> predicate) {
        try {
            @Nullable Throwable cause = ex;
            for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
                if (predicate.test(cause)) {
                    return true;
                }
                cause = cause.getCause();
            }
            return false;
        } catch (Throwable broken) {
            return false;
        }
    }
}
