package dev.outbox.console.internal.web;

import dev.outbox.operations.InvalidOperationException;
import dev.outbox.spring.internal.RequestFilters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;

/** Fields of a request; an empty one has no value. */
public final class Inputs {

    private final ServerRequest request;

    /** Reads the parameters of a request. */
    public Inputs(ServerRequest request) {
        this.request = request;
    }

    /** Returns a text without surrounding white space. */
    public @Nullable String text(String name) {
        String value = request.param(name).orElse("").strip();
        return value.isEmpty() ? null : value;
    }

    /** Returns the texts of fields that have a value. */
    public Map<String, String> texts(List<String> names) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (String name : names) {
            String text = text(name);
            if (text != null) {
                texts.put(name, text);
            }
        }
        return texts;
    }

    /** Returns a text as it was sent, or an empty one. */
    public String raw(String name) {
        return request.param(name).orElse("");
    }

    /** Returns a text that must be there, as it was sent. */
    public String required(String name) {
        String value = raw(name);
        if (value.isBlank()) {
            throw new InvalidOperationException("'" + name + "' is missing");
        }
        return value;
    }

    /** Returns a number, or another one if there is none. */
    public long number(String name, long otherwise) {
        Long value = number(name);
        return value == null ? otherwise : value;
    }

    /** Returns a number. */
    public @Nullable Long number(String name) {
        return filters(List.of(name)).number(name);
    }

    /** Returns a number within limits. */
    public int number(String name, int otherwise, int least, int most) {
        long value = number(name, otherwise);
        if (value < least || value > most) {
            throw new InvalidOperationException(
                    "'" + name + "' must be from " + least + " to " + most + ", not " + value);
        }
        return (int) value;
    }

    /** Returns an event id. */
    public @Nullable UUID uuid(String name) {
        return filters(List.of(name)).uuid(name);
    }

    /** Returns all texts of a field that a form may have several times, as they were sent. */
    public List<String> all(String name) {
        return request.params().getOrDefault(name, List.of());
    }

    /** Returns all event ids of a field. */
    public Set<UUID> uuids(String name) {
        return all(name).stream().map((id) -> RequestFilters.uuid(name, id)).collect(Collectors.toSet());
    }

    /** Returns the fields that select something. */
    public RequestFilters filters(List<String> names) {
        return new RequestFilters(texts(names));
    }
}
