package dev.outbox.spring.autoconfigure.endpoint;

import dev.outbox.operations.InvalidOperationException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Named values of a request. Each is taken once, so that a misspelled filter is refused instead of widening a selection. */
final class EndpointFilter {

    private final Map<String, String> values = new TreeMap<>();

    /** Creates a filter; a value that is {@code null} is not given. */
    EndpointFilter(Map<String, ? extends @Nullable String> values) {
        values.forEach((name, value) -> {
            if (value != null) {
                this.values.put(name, value);
            }
        });
    }

    /** Creates a filter from a query string, as in {@code handler=mail&status=DEAD}. */
    static EndpointFilter parse(String query) {
        Map<String, String> values = new TreeMap<>();
        for (String part : query.split("&", -1)) {
            int equals = part.indexOf('=');
            if (equals < 1) {
                throw new InvalidOperationException(
                        "'selection' must be a query string such as handler=mail&status=DEAD, not '" + query + "'");
            }
            String name = decode(part.substring(0, equals));
            if (values.put(name, decode(part.substring(equals + 1))) != null) {
                throw new InvalidOperationException("'selection' has more than one '" + name + "'");
            }
        }
        return new EndpointFilter(values);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException ex) {
            throw new InvalidOperationException("'selection' has an invalid % escape: '" + text + "'");
        }
    }

    @Nullable
    String text(String name) {
        return values.remove(name);
    }

    String required(String name) {
        String value = text(name);
        if (value == null) {
            throw new InvalidOperationException("'" + name + "' is missing");
        }
        return value;
    }

    @Nullable
    UUID uuid(String name) {
        return parsed(name, UUID::fromString, "a UUID");
    }

    @Nullable
    Instant time(String name) {
        return parsed(name, Instant::parse, "a time such as 2026-01-31T12:00:00Z");
    }

    @Nullable
    Long number(String name) {
        return parsed(name, Long::valueOf, "a number");
    }

    <T> @Nullable T parsed(String name, Function<String, T> parser, String expected) {
        String value = text(name);
        try {
            return value == null ? null : parser.apply(value);
        } catch (IllegalArgumentException | DateTimeException ex) {
            throw new InvalidOperationException("'" + name + "' must be " + expected + ", not '" + value + "'");
        }
    }

    /** Refuses the values that are left. */
    void end(String use) {
        if (!values.isEmpty()) {
            throw new InvalidOperationException(use + " has no filter "
                    + values.keySet().stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", ")));
        }
    }
}
