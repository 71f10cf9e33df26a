package dev.outbox.internal.failure;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Removes from an exception what no log and no table may hold: secrets, the rows and values that PostgreSQL quotes, and the JSON that
 * Jackson quotes. The rest of a handler's own messages stays. Never fails, even if the methods of the exception do.
 */
public final class Redaction {

    private static final int MOST_EXCEPTIONS = 50;
    private static final int MOST_CAUSES = 3;
    private static final int LINES_OF_TRACE = 3;
    private static final int SHORTEST_QUOTE = 8;
    private static final Comparator<String> LONGEST_FIRST =
            Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder());

    private final Map<String, String> quoting = new TreeMap<>(LONGEST_FIRST);
    private final IdentityHashMap<Throwable, ThrowableParts> seen = new IdentityHashMap<>();

    private Redaction(Throwable ex) {
        Deque<Throwable> open = new ArrayDeque<>();
        open.add(ex);
        while (!open.isEmpty() && seen.size() < MOST_EXCEPTIONS) {
            Throwable next = open.remove();
            if (!seen.containsKey(next)) {
                ThrowableParts parts = ThrowableParts.of(next);
                seen.put(next, parts);
                collect(next, parts.message());
                open.addAll(parts.behind());
            }
        }
    }

    /** Returns the message of an exception. */
    public static String message(Throwable ex) {
        try {
            Redaction redaction = new Redaction(ex);
            return String.valueOf(redaction.text(redaction.partsOf(ex).message()));
        } catch (Throwable broken) {
            return ThrowableParts.NO_MESSAGE;
        }
    }

    /** Returns the first lines of the stack traces of an exception and its causes, without their messages, and where the handler begins. */
    static String trace(Throwable ex) {
        StringBuilder trace = new StringBuilder();
        Throwable next = ex;
        for (int depth = 0; next != null && depth < MOST_CAUSES; depth++) {
            ThrowableParts parts = ThrowableParts.of(next);
            trace.append(depth == 0 ? "" : "Caused by: ").append(next.getClass().getName());
            List<StackTraceElement> frames = HandlerFrames.of(parts.stackTrace());
            frames.stream()
                    .limit(LINES_OF_TRACE)
                    .forEach((frame) -> trace.append("\n  at ").append(frame));
            if (depth == 0 && frames.size() > LINES_OF_TRACE) {
                trace.append("\n  …\n  at ").append(frames.get(frames.size() - 1));
            }
            trace.append('\n');
            next = parts.cause();
        }
        return trace.toString();
    }

    /** Returns a text without secrets. */
    public static String of(String text) {
        return Secrets.redact(text);
    }

    /** Returns the exception for the log; a redacted copy if it holds secrets, throws when it is read, or has causes without end. */
    public static Throwable loggable(Throwable ex) {
        try {
            Redaction redaction = new Redaction(ex);
            return redaction.isNeeded() ? redaction.copy(ex, 0) : ex;
        } catch (Throwable broken) {
            return new Redacted(ex.getClass().getName());
        }
    }

    /** Returns the exception of a handler for the log, as {@link #loggable} does, and reduces its stack traces to {@link HandlerFrames}. */
    public static Throwable ofHandler(Throwable ex) {
        try {
            new Redaction(ex)
                    .seen.forEach((part, parts) -> part.setStackTrace(
                            HandlerFrames.of(parts.stackTrace()).toArray(StackTraceElement[]::new)));
        } catch (Throwable broken) {
            // An exception whose own methods throw keeps its frames.
        }
        return loggable(ex);
    }

    /** Returns the error of PostgreSQL without the row that it quotes. */
    public static SQLException of(SQLException ex) {
        Redaction redaction = new Redaction(ex);
        if (!redaction.isNeeded()) {
            return ex;
        }
        ThrowableParts parts = redaction.partsOf(ex);
        SQLException copy = new SQLException(redaction.text(parts.message()), ex.getSQLState(), ex.getErrorCode());
        copy.setStackTrace(ex.getStackTrace());
        redaction.addParts(copy, parts, 0);
        return copy;
    }

    /** Returns the path of the error in the JSON, without the keys of maps: they are content. */
    public static String path(JacksonException ex) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference reference : ex.getPath()) {
            Object from = reference.from();
            boolean map = from instanceof Map || (from instanceof Class<?> type && Map.class.isAssignableFrom(type));
            path.append(path.isEmpty() ? "" : "->").append(map ? "map[*]" : reference.getDescription());
        }
        return path.isEmpty() ? "the root" : path.toString();
    }

    private void collect(Throwable ex, @Nullable String message) {
        if (message == null || message.isEmpty()) {
            return;
        }
        if (ex instanceof SQLException sql) {
            put(message, answer(sql, message));
        } else if (ex instanceof JacksonException jackson) {
            String found = "JSON error at " + path(jackson);
            put(message, found);
            put(String.valueOf(jackson.getOriginalMessage()), found);
        }
    }

    /** Skips short texts: they quote nothing, and may occur by chance in another message. */
    private void put(String message, String instead) {
        if (message.length() >= SHORTEST_QUOTE && !message.equals(instead)) {
            quoting.put(message, instead);
        }
    }

    /** Returns the first line with text: later lines quote the row, under labels that the driver translates. */
    private static String answer(SQLException ex, String message) {
        if (ex instanceof BatchUpdateException) {
            Throwable cause = ex.getNextException() != null ? ex.getNextException() : ex.getCause();
            return cause instanceof SQLException sql && !(cause instanceof BatchUpdateException)
                    ? "a batch was aborted: " + answer(sql, String.valueOf(sql.getMessage()))
                    : "a batch was aborted";
        }
        String line =
                message.lines().filter((one) -> !one.isBlank()).findFirst().orElse("no message");
        String state = ex.getSQLState();
        boolean quotesValue = state != null && (state.startsWith("22") || state.equals("42601"));
        int begin = line.indexOf('"');
        if (!quotesValue || begin < 0) {
            return line;
        }
        int end = line.lastIndexOf('"');
        return line.substring(0, begin) + "\"***\"" + (end > begin ? line.substring(end + 1) : "");
    }

    private @Nullable String text(@Nullable String message) {
        if (message == null) {
            return null;
        }
        String text = message;
        for (Map.Entry<String, String> quoted : quoting.entrySet()) {
            text = text.replace(quoted.getKey(), quoted.getValue());
        }
        return Secrets.redact(text);
    }

    private boolean isNeeded() {
        return seen.size() >= MOST_EXCEPTIONS
                || seen.values().stream().anyMatch((parts) -> !parts.readable() || isChanged(parts.message()));
    }

    private boolean isChanged(@Nullable String message) {
        return message != null && !message.equals(text(message));
    }

    private ThrowableParts partsOf(Throwable ex) {
        ThrowableParts known = seen.get(ex);
        return known != null ? known : ThrowableParts.of(ex);
    }

    private Throwable copy(Throwable ex, int depth) {
        ThrowableParts parts = partsOf(ex);
        String message = text(parts.message());
        Redacted copy = new Redacted(ex.getClass().getName() + (message == null ? "" : ": " + message));
        copy.setStackTrace(parts.stackTrace().toArray(StackTraceElement[]::new));
        addParts(copy, parts, depth);
        return copy;
    }

    private void addParts(Throwable copy, ThrowableParts parts, int depth) {
        if (depth >= MOST_EXCEPTIONS) {
            return;
        }
        Throwable cause = parts.cause();
        if (cause != null) {
            copy.initCause(copy(cause, depth + 1));
        }
        parts.others().stream()
                .limit(depth == 0 ? MOST_EXCEPTIONS : 1)
                .forEach((other) -> copy.addSuppressed(copy(other, MOST_EXCEPTIONS - 1)));
    }

    /** Replaces an exception in the log; its message begins with the class of the original. */
    private static final class Redacted extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Redacted(String message) {
            super(message);
        }
    }
}
