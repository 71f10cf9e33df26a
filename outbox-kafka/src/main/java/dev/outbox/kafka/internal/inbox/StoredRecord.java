package dev.outbox.kafka.internal.inbox;

import dev.outbox.kafka.internal.inbox.InboxMeter.Result;
import dev.outbox.kafka.internal.inbox.Incoming.Refusal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Record that is refused or held back, as the payload of an event. Bytes are in base64. */
public record StoredRecord(
        String inbox,
        String topic,
        @Nullable String topicId,
        int partition,
        long offset,
        long timestamp,
        @Nullable String key,
        @Nullable String value,
        boolean complete,
        List<StoredHeader> headers,
        Reason reason,
        String message,
        @Nullable Instant heldUntil) {

    /** Type of the events and of their aggregates, which no received event may have. No handler of all types gets it. */
    public static final String TYPE = "outbox.KafkaRecord";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    public StoredRecord {
        headers = List.copyOf(headers);
        message = storable(message);
    }

    /** Header of a record. */
    public record StoredHeader(String name, @Nullable String value) {

        public StoredHeader {
            name = storable(name);
        }
    }

    /** Replaces the only character that Kafka's texts may contain and jsonb may not. */
    private static String storable(String text) {
        return text.replace('\0', '\uFFFD');
    }

    /** Why a record is not stored as an event. */
    public enum Reason {
        /** It describes no event. */
        UNREADABLE,
        /** No handler subscribes to the type of its event. */
        UNKNOWN_TYPE,
        /** The outbox refuses its event. */
        INVALID,
        /** A later event of the aggregate is stored already. */
        LATE,
        /** Its predecessor has not arrived. */
        GAP;

        Result result() {
            return this == GAP ? Result.HELD : Result.REFUSED;
        }
    }

    static StoredRecord of(String inbox, Incoming incoming, Refusal refusal, @Nullable Instant until) {
        ConsumerRecord<byte[], byte[]> record = incoming.record();
        List<StoredHeader> headers = new ArrayList<>();
        record.headers().forEach((header) -> headers.add(new StoredHeader(header.key(), encoded(header.value()))));
        return new StoredRecord(
                inbox,
                record.topic(),
                incoming.topicId(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                encoded(record.key()),
                encoded(record.value()),
                true,
                headers,
                refusal.reason(),
                refusal.message(),
                until);
    }

    /** Leaves out what is too large to be stored; the topic still has it. */
    StoredRecord withoutContent() {
        return new StoredRecord(
                inbox, topic, topicId, partition, offset, timestamp, null, null, false, List.of(), reason, message,
                heldUntil);
    }

    String json() {
        return JSON.writeValueAsString(this);
    }

    static StoredRecord read(String json) {
        return JSON.readValue(json, StoredRecord.class);
    }

    ConsumerRecord<byte[], byte[]> record() {
        RecordHeaders all = new RecordHeaders();
        headers.forEach((header) -> all.add(header.name(), decoded(header.value())));
        return new ConsumerRecord<>(
                topic,
                partition,
                offset,
                timestamp,
                TimestampType.CREATE_TIME,
                ConsumerRecord.NULL_SIZE,
                ConsumerRecord.NULL_SIZE,
                decoded(key),
                decoded(value),
                all,
                Optional.empty());
    }

    /** The same for every delivery of a record, and another one for a record of a topic that was created again. */
    static UUID idOf(String inbox, ConsumerRecord<byte[], byte[]> record) {
        MessageDigest digest = sha256();
        update(digest, inbox.getBytes(StandardCharsets.UTF_8));
        update(digest, record.topic().getBytes(StandardCharsets.UTF_8));
        digest.update(ByteBuffer.allocate(20)
                .putInt(record.partition())
                .putLong(record.offset())
                .putLong(record.timestamp())
                .flip());
        update(digest, record.key());
        update(digest, record.value());
        record.headers().forEach((header) -> {
            update(digest, header.key().getBytes(StandardCharsets.UTF_8));
            update(digest, header.value());
        });
        return UUID.nameUUIDFromBytes(digest.digest());
    }

    private static void update(MessageDigest digest, byte @Nullable [] bytes) {
        digest.update(
                ByteBuffer.allocate(4).putInt(bytes == null ? -1 : bytes.length).flip());
        if (bytes != null) {
            digest.update(bytes);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static @Nullable String encoded(byte @Nullable [] bytes) {
        return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
    }

    private static byte @Nullable [] decoded(@Nullable String text) {
        return text == null ? null : Base64.getDecoder().decode(text);
    }
}
