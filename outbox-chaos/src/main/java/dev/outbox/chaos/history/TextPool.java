package dev.outbox.chaos.history;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps one copy of equal texts and ids, of which a history has millions. */
final class TextPool {

    private final Map<String, String> texts = new ConcurrentHashMap<>();
    private final Map<UUID, UUID> ids = new ConcurrentHashMap<>();

    String text(String text) {
        String known = texts.putIfAbsent(text, text);
        return known == null ? text : known;
    }

    UUID id(UUID id) {
        UUID known = ids.putIfAbsent(id, id);
        return known == null ? id : known;
    }
}
