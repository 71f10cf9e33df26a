package dev.outbox.kafka.internal.cloudevents;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.forwarding.internal.CloudEvents;
import dev.outbox.kafka.InboxRecordMapper;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/** Reads events from records in the binary mode of CloudEvents 1.0. Throws an exception that tells what is missing or wrong. */
public final class CloudEventReader implements InboxRecordMapper {

    private static final String STRUCTURED = "application/cloudevents";

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

    @Override
    public OutboxEvent map(ConsumerRecord<byte[], byte[]> record) {
        Headers headers = record.headers();
        requireBinaryJson(headers);
        String version = required(headers, CloudEventHeaders.SPEC_VERSION);
        if (!version.startsWith("1.")) {
            throw invalid(CloudEventHeaders.SPEC_VERSION, "1.0", version);
        }
        OutboxEvent event = OutboxEvent.of(
                        required(headers, CloudEventHeaders.AGGREGATE_TYPE),
                        required(headers, CloudEventHeaders.SUBJECT),
                        new RawValue(payload(record)))
                .withEventId(id(required(headers, CloudEventHeaders.ID)))
                .withOrigin(required(headers, CloudEventHeaders.SOURCE))
                .withEventType(required(headers, CloudEventHeaders.TYPE))
                .withSchemaVersion(schemaVersion(headers))
                .withSequence(sequence(required(headers, CloudEventHeaders.SEQUENCE)))
                .occurredAt(time(record));
        for (Map.Entry<String, String> header : others(headers).entrySet()) {
            event = event.withHeader(header.getKey(), header.getValue());
        }
        return event;
    }

    private static void requireBinaryJson(Headers headers) {
        String contentType = optional(headers, CloudEventHeaders.CONTENT_TYPE);
        if (contentType == null) {
            return;
        }
        String type = contentType.toLowerCase(Locale.ROOT).split(";", 2)[0].trim();
        if (type.startsWith(STRUCTURED)) {
            throw new NonRetryableException("the record has the content type " + contentType
                    + ": the structured mode of CloudEvents, which is not supported; send the attributes as record"
                    + " headers (binary mode)");
        }
        if (!type.equals(CloudEvents.JSON) && !type.endsWith("+json")) {
            throw invalid(CloudEventHeaders.CONTENT_TYPE, CloudEvents.JSON, contentType);
        }
    }

    private static UUID id(String text) {
        UUID id = parse(CloudEventHeaders.ID, "a UUID", text, UUID::fromString);
        // UUID.fromString accepts short forms, which another service may mean otherwise.
        if (!id.toString().equalsIgnoreCase(text)) {
            throw invalid(CloudEventHeaders.ID, "a UUID", text);
        }
        return id;
    }

    private static long sequence(String text) {
        long sequence = parse(CloudEventHeaders.SEQUENCE, "a whole number", text, Long::parseLong);
        if (sequence < 0) {
            throw invalid(CloudEventHeaders.SEQUENCE, "at least 0", text);
        }
        return sequence;
    }

    private static int schemaVersion(Headers headers) {
        String text = optional(headers, CloudEventHeaders.SCHEMA_VERSION);
        return text == null ? 1 : parse(CloudEventHeaders.SCHEMA_VERSION, "a whole number", text, Integer::parseInt);
    }

    /** An event without a time happened when the record was created. */
    private static Instant time(ConsumerRecord<byte[], byte[]> record) {
        String text = optional(record.headers(), CloudEventHeaders.TIME);
        return text == null
                ? Instant.ofEpochMilli(record.timestamp())
                : parse(
                        CloudEventHeaders.TIME,
                        "a time with an offset, such as 2026-01-02T03:04:05Z",
                        text,
                        (time) -> OffsetDateTime.parse(time).toInstant());
    }

    private static String payload(ConsumerRecord<byte[], byte[]> record) {
        byte[] value = record.value();
        if (value == null) {
            throw new NonRetryableException("the record has no value");
        }
        String payload = text(value);
        if (payload == null) {
            throw new NonRetryableException("the value of the record is not UTF-8");
        }
        return payload;
    }

    private static Map<String, String> others(Headers headers) {
        Map<String, String> others = new HashMap<>();
        captured(headers).forEach((name, value) -> add(others, name, value));
        for (Header header : headers) {
            add(others, header.key(), header.value() == null ? null : text(header.value()));
        }
        return others;
    }

    /** Headers that are no text stay behind: a header of the outbox is a text. */
    private static void add(Map<String, String> others, String name, @Nullable String value) {
        boolean storable = value != null && value.indexOf('\0') < 0 && name.indexOf('\0') < 0;
        if (storable && !CloudEventHeaders.isAttribute(name)) {
            others.put(name, value);
        }
    }

    private static Map<String, String> captured(Headers headers) {
        String json = optional(headers, CloudEventHeaders.OUTBOX_HEADERS);
        if (json == null) {
            return Map.of();
        }
        try {
            return JSON.readValue(json, TEXTS);
        } catch (JacksonException ex) {
            throw invalid(CloudEventHeaders.OUTBOX_HEADERS, "a JSON object of texts", json);
        }
    }

    private static String required(Headers headers, String name) {
        String value = optional(headers, name);
        if (value == null || value.isBlank()) {
            throw new NonRetryableException("the record has no header " + name
                    + "; an inbox takes events in the binary mode of CloudEvents 1.0");
        }
        return value;
    }

    private static @Nullable String optional(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        if (header == null || header.value() == null) {
            return null;
        }
        String value = text(header.value());
        if (value == null) {
            throw new NonRetryableException("the header " + name + " is not UTF-8");
        }
        return value;
    }

    private static @Nullable String text(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException ex) {
            return null;
        }
    }

    private static <T> T parse(String name, String expected, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException | DateTimeException ex) {
            throw invalid(name, expected, text);
        }
    }

    private static NonRetryableException invalid(String name, String expected, String text) {
        String quote = text.length() <= 40 ? text : text.substring(0, 40) + "…";
        return new NonRetryableException(
                "the header " + name + " must be " + expected + ": '" + quote.replaceAll("\\p{Cntrl}", "?") + "'");
    }
}
