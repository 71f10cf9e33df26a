package dev.outbox.retry;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which exceptions are worth another attempt. Of the listed classes that an exception is an instance of, the most specific one
 * decides; if there is none, its causes are judged in the same way, the nearest first. What is listed nowhere is worth another
 * attempt.
 *
 * @param retryable exceptions that are worth another attempt
 * @param nonRetryable exceptions after which no attempt can succeed
 */
public record ErrorClasses(Set<Class<? extends Throwable>> retryable, Set<Class<? extends Throwable>> nonRetryable) {

    /** Nothing is listed. */
    public static final ErrorClasses NONE = new ErrorClasses(Set.of(), Set.of());

    /** Causes may go round in a circle. */
    private static final int DEEPEST_CAUSE = 20;

    /** Checks that the classes are exceptions, which a caller who reads their names may not know, and that none is in both sets. */
    public ErrorClasses {
        retryable = Set.copyOf(retryable);
        nonRetryable = Set.copyOf(nonRetryable);
        requireExceptions("retryable", retryable);
        requireExceptions("nonRetryable", nonRetryable);
        Set<Class<?>> both = new HashSet<>(nonRetryable);
        both.retainAll(retryable);
        if (!both.isEmpty()) {
            throw new IllegalArgumentException("nonRetryable must not hold what retryable holds: " + names(both));
        }
    }

    /**
     * Judges an exception.
     *
     * @param exception what a handler threw
     * @return whether another attempt is worth while
     */
    public boolean isRetryable(Throwable exception) {
        @Nullable Throwable cause = exception;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            Optional<Boolean> listed = listed(cause.getClass());
            if (listed.isPresent()) {
                return listed.get();
            }
            cause = causeOf(cause);
        }
        return true;
    }

    /** An exception's own code may fail too. */
    private static @Nullable Throwable causeOf(Throwable exception) {
        try {
            return exception.getCause();
        } catch (RuntimeException broken) {
            return null;
        }
    }

    private Optional<Boolean> listed(Class<?> exception) {
        for (@Nullable Class<?> type = exception; type != null; type = type.getSuperclass()) {
            if (retryable.contains(type)) {
                return Optional.of(true);
            }
            if (nonRetryable.contains(type)) {
                return Optional.of(false);
            }
        }
        return Optional.empty();
    }

    private static void requireExceptions(String component, Set<? extends Class<?>> classes) {
        for (Class<?> type : classes) {
            if (!Throwable.class.isAssignableFrom(type)) {
                throw new IllegalArgumentException(component + " must hold none but exceptions: " + type.getName());
            }
        }
    }

    private static List<String> names(Set<Class<?>> classes) {
        return classes.stream().map(Class::getName).sorted().toList();
    }
}
