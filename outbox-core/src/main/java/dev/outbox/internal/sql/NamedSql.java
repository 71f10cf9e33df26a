package dev.outbox.internal.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** SQL with parameters such as {@code :stream}, each of which is set once and may occur several times. Parsed once. */
public final class NamedSql {

    /** Literals, quoted names and comments are skipped, and casts such as {@code ::text}. */
    private static final Pattern TOKEN =
            Pattern.compile("'(?:[^']|'')*'|\"[^\"]*\"|--[^\\n]*|::|:([a-z][a-z0-9_]*)", Pattern.CASE_INSENSITIVE);

    /** Begins the line that names the statement below it in a file. */
    private static final String RESULT = "-- result: ";

    private final String positional;
    private final Map<String, List<Integer>> positions = new LinkedHashMap<>();

    public NamedSql(String sql) {
        Matcher matcher = TOKEN.matcher(sql);
        StringBuilder text = new StringBuilder();
        int count = 0;
        while (matcher.find()) {
            String name = matcher.group(1);
            if (name == null) {
                matcher.appendReplacement(text, Matcher.quoteReplacement(matcher.group()));
            } else {
                matcher.appendReplacement(text, "?");
                positions.computeIfAbsent(name, (key) -> new ArrayList<>()).add(++count);
            }
        }
        this.positional = matcher.appendTail(text).toString();
    }

    /**
     * Returns a statement of a resource file beside a class: what stands below the line {@code -- result:} with its name, without comments,
     * which would be sent with it.
     */
    public static String of(Class<?> room, String file, String result) {
        StringBuilder statement = new StringBuilder();
        boolean found = false;
        for (String line : lines(room, file)) {
            if (line.startsWith(RESULT)) {
                found = line.equals(RESULT + result);
            } else if (found && !line.isBlank() && !line.strip().startsWith("--")) {
                statement.append(line).append('\n');
            }
        }
        if (statement.isEmpty()) {
            throw new IllegalArgumentException(file + " has no statement '" + result + "'");
        }
        return statement.toString().replaceFirst(";\n$", "\n");
    }

    private static List<String> lines(Class<?> room, String file) {
        try (InputStream resource = room.getResourceAsStream(file)) {
            if (resource == null) {
                throw new IllegalStateException("the jar of the outbox lacks " + file + " beside " + room.getName());
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns the statement with a question mark for each parameter. */
    public String positional() {
        return positional;
    }

    public Parameters bind(PreparedStatement statement) {
        return new Parameters(statement);
    }

    /** Values of one execution. */
    public final class Parameters {

        private final PreparedStatement statement;
        private final BitSet set = new BitSet();

        private Parameters(PreparedStatement statement) {
            this.statement = statement;
        }

        public Parameters set(String name, @Nullable Object value) throws SQLException {
            List<Integer> found = positions.get(name);
            if (found == null) {
                throw new IllegalArgumentException(
                        "the statement has no parameter :" + name + ", only " + positions.keySet());
            }
            Object stored = value instanceof Instant instant ? instant.atOffset(ZoneOffset.UTC) : value;
            for (int position : found) {
                statement.setObject(position, stored);
            }
            set.set(found.get(0));
            return this;
        }

        /** Sets an array of texts. */
        public <T> Parameters setTexts(String name, Collection<T> values, Function<T, @Nullable String> text)
                throws SQLException {
            return set(name, values.stream().map(text).toArray(String[]::new));
        }

        /** Sets an array of whole numbers. */
        public <T> Parameters setLongs(String name, Collection<T> values, ToLongFunction<T> number)
                throws SQLException {
            return set(name, values.stream().mapToLong(number).toArray());
        }

        public void requireAll() {
            if (set.cardinality() < positions.size()) {
                List<String> unset = positions.entrySet().stream()
                        .filter((parameter) -> !set.get(parameter.getValue().get(0)))
                        .map(Map.Entry::getKey)
                        .toList();
                throw new IllegalStateException("the parameters " + unset + " have no value");
            }
        }
    }
}
