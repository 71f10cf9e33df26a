package dev.outbox.internal.failure;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Removes from an exception what no log and no table may hold: secrets, the rows and values that PostgreSQL quotes, and the JSON that
 * Jackson quotes. The rest of a handler's own messages stays. Never fails: of an exception whose own methods throw, the class remains.
 */
public final class Redaction {

    private static final int MOST_EXCEPTIONS = 50;
    private static final int SHORTEST_QUOTE = 8;
    private static final String NO_MESSAGE = "its message could not be read";
    private static final Comparator<String> LONGEST_FIRST =
            Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder());

    private final Map<String, String> quoting = new TreeMap<>(LONGEST_FIRST);
    private final IdentityHashMap<Throwable, Parts> seen = new IdentityHashMap<>();

    /** Parts of an exception, each read once, because its own methods may throw. */
    private record Parts(
            @Nullable String message,
            @Nullable Throwable cause,
            List<Throwable> others,
            List<StackTraceElement> stackTrace) {

        static Parts of(Throwable ex) {
            List<Throwable> others = new ArrayList<>(List.of(ex.getSuppressed()));
            if (ex instanceof SQLException sql && sql.getNextException() != null) {
                others.add(sql.getNextException());
            }
            Objects.requireNonNull(ex.toString(), "text");
            return new Parts(ex.getMessage(), ex.getCause(), others, List.of(ex.getStackTrace()));
        }
    }

    private Redaction(Throwable ex) {
        Deque<Throwable> open = new ArrayDeque<>();
        open.add(ex);
        while (!open.isEmpty() && seen.size() < MOST_EXCEPTIONS) {
            Throwable next = open.remove();
            if (!seen.containsKey(next)) {
                Parts parts = Parts.of(next);
                seen.put(next, parts);
                collect(next, parts.message());
                open.addAll(parts.others());
                if (parts.cause() != null) {
                    open.add(parts.cause());
                }
            }
        }
    }

    /** Returns the message of an exception. */
    public static String message(Throwable ex) {
        try {
            Redaction redaction = new Redaction(ex);
            return String.valueOf(redaction.text(redaction.partsOf(ex).message()));
        } catch (Throwable broken) {
            return NO_MESSAGE;
        }
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

    /** Returns the error of PostgreSQL without the row that it quotes. */
    public static SQLException of(SQLException ex) {
        Redaction redaction = new Redaction(ex);
        if (!redaction.isNeeded()) {
            return ex;
        }
        Parts parts = redaction.partsOf(ex);
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
        return seen.size() >= MOST_EXCEPTIONS || seen.values().stream().anyMatch((parts) -> isChanged(parts.message()));
    }

    private boolean isChanged(@Nullable String message) {
        return message != null && !message.equals(text(message));
    }

    private Parts partsOf(Throwable ex) {
        Parts known = seen.get(ex);
        return known != null ? known : Parts.of(ex);
    }

    private Throwable copy(Throwable ex, int depth) {
        Parts parts = partsOf(ex);
        String message = text(parts.message());
        Redacted copy = new Redacted(ex.getClass().getName() + (message == null ? "" : ": " + message));
        copy.setStackTrace(parts.stackTrace().toArray(StackTraceElement[]::new));
        addParts(copy, parts, depth);
        return copy;
    }

    private void addParts(Throwable copy, Parts parts, int depth) {
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
