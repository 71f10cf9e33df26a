package dev.outbox.internal.retry;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Classification of exceptions as retryable or not. The most specific listed superclass of an exception decides. If none is listed, the same
 * rule applies to its causes, nearest first. An exception without a listed class is retryable.
 *
 * @param retryable exceptions that are retried
 * @param nonRetryable exceptions that are not retried
 */
public record ErrorClasses(Set<Class<? extends Throwable>> retryable, Set<Class<? extends Throwable>> nonRetryable) {

    /** Lists no class, so every exception is retryable. */
    public static final ErrorClasses NONE = new ErrorClasses(Set.of(), Set.of());

    /** Causes can form a cycle. */
    private static final int DEEPEST_CAUSE = 20;

    /** Checks that the classes are exceptions and that no class is in both sets. */
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
     * Classifies an exception.
     *
     * @param exception the exception of a handler
     * @return whether the outbox retries it
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

    /** An exception's own code can fail too. */
    private static @Nullable Throwable causeOf(Throwable exception) {
        try {
            return exception.getCause();
        } catch (Throwable broken) {
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
