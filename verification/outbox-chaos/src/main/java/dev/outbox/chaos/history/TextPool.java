package dev.outbox.chaos.history;

import dev.outbox.chaos.history.StateChange.State;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps one copy of equal texts, ids and states, of which a history has millions. */
final class TextPool {

    private final Map<String, String> texts = new ConcurrentHashMap<>();
    private final Map<State, State> states = new ConcurrentHashMap<>();
    private final Map<UUID, UUID> ids = new ConcurrentHashMap<>();

    String text(String text) {
        String known = texts.putIfAbsent(text, text);
        return known == null ? text : known;
    }

    State state(State state) {
        State known = states.putIfAbsent(state, state);
        return known == null ? state : known;
    }

    UUID id(UUID id) {
        UUID known = ids.putIfAbsent(id, id);
        return known == null ? id : known;
    }
}
