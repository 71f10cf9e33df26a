package dev.outbox.test;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Kafka record of a forwarded event.
 *
 * @param topic the topic
 * @param key the key, or {@code null} if the record has none
 * @param value the value as text
 * @param headers the headers as text, such as {@code ce_id}
 */
public record ForwardedRecord(String topic, @Nullable String key, String value, Map<String, String> headers) {

    /** Copies the headers. */
    public ForwardedRecord {
        headers = Map.copyOf(headers);
    }
}
