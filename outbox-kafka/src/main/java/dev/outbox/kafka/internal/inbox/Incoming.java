package dev.outbox.kafka.internal.inbox;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.RetryAfterException;
import dev.outbox.forwarding.internal.received.ReceivedStore.Received;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.publish.Aggregate;
import dev.outbox.kafka.InboxRecordMapper;
import dev.outbox.kafka.internal.inbox.StoredRecord.Reason;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Record with the event that it describes, or with the reason for which it is refused. An ignored record has neither. */
record Incoming(
        ConsumerRecord<byte[], byte[]> record,
        @Nullable String topicId,
        @Nullable Content content,
        @Nullable Refusal refusal) {

    private static final int LONGEST_NAME = 255;

    /** Event as it is stored here, and its sequence in the topic, which is the offset if the record has none. */
    record Content(OutboxEvent event, UUID id, String type, Aggregate aggregate, long sequence) {

        @Override
        public String toString() {
            return "event " + id + " of " + aggregate + " with sequence " + sequence;
        }
    }

    /** Why a record is not stored as an event. */
    record Refusal(Reason reason, String message) {}

    /** A heap that is full is no fault of the record; any other error of the mapper is. */
    static Incoming read(
            ConsumerRecord<byte[], byte[]> record,
            @Nullable String topicId,
            InboxSettings settings,
            InboxRecordMapper mapper) {
        try {
            OutboxEvent event = mapper.map(record);
            return new Incoming(record, topicId, event == null ? null : content(record, event, settings), null);
        } catch (RetryAfterException | OutOfMemoryError ex) {
            throw ex;
        } catch (NonRetryableException ex) {
            return new Incoming(record, topicId, null, new Refusal(Reason.UNREADABLE, String.valueOf(ex.getMessage())));
        } catch (Exception | Error ex) {
            String error = ex instanceof Error ? ex.getClass().getName() + ": " : "";
            String message = "the InboxRecordMapper failed: " + error + Redaction.message(ex);
            return new Incoming(record, topicId, null, new Refusal(Reason.UNREADABLE, message));
        }
    }

    private static Content content(ConsumerRecord<byte[], byte[]> record, OutboxEvent event, InboxSettings settings) {
        String type = event.eventType();
        if (type == null) {
            throw new NonRetryableException("the InboxRecordMapper set no event type");
        }
        Aggregate aggregate = new Aggregate(
                requireName("aggregate type", settings.aggregateTypePrefix() + event.aggregateType()),
                requireName("aggregate id", event.aggregateId()));
        if (aggregate.type().equals(StoredRecord.TYPE) || type.equals(StoredRecord.TYPE)) {
            throw new NonRetryableException(
                    "the name " + StoredRecord.TYPE + " is reserved for records that an inbox refuses");
        }
        UUID id = Objects.requireNonNullElseGet(event.eventId(), () -> StoredRecord.idOf("", record));
        OutboxEvent stored = OutboxEvent.of(aggregate.type(), aggregate.id(), event.payload())
                .withEventId(id)
                .withEventType(type)
                .withSchemaVersion(Objects.requireNonNullElse(event.schemaVersion(), 1))
                .withOrigin(Objects.requireNonNullElse(event.origin(), record.topic()))
                .occurredAt(Objects.requireNonNullElseGet(
                        event.occurredAt(), () -> Instant.ofEpochMilli(record.timestamp())));
        if (event.sequence() != null) {
            stored = stored.withSequence(event.sequence());
        }
        for (Map.Entry<String, String> header : event.headers().entrySet()) {
            if (!header.getKey().equals(EventEnvelope.ORIGIN)) {
                stored = stored.withHeader(header.getKey(), header.getValue());
            }
        }
        String stream = settings.stream() == null ? event.stream() : settings.stream();
        long sequence = Objects.requireNonNullElse(event.sequence(), record.offset());
        return new Content(stream == null ? stored : stored.inStream(stream), id, type, aggregate, sequence);
    }

    /** A key that PostgreSQL refuses would abort the transaction of the whole batch. */
    private static String requireName(String what, String name) {
        if (name.length() > LONGEST_NAME) {
            throw new NonRetryableException("the " + what + " has more than " + LONGEST_NAME + " characters");
        }
        if (name.indexOf('\0') >= 0) {
            throw new NonRetryableException("the " + what + " contains the character U+0000");
        }
        return name;
    }

    String position() {
        return "offset " + record.offset() + " of " + record.topic() + "-" + record.partition();
    }

    /** Returns why the record is refused, for a log. Only for a refused record. */
    String refusedFor() {
        return Redaction.of(Objects.requireNonNull(refusal).message());
    }

    /**
     * Returns the aggregate where its sequences can be compared: in the topic, or, if they are offsets, in the partition of the topic with
     * that id. Only for a record with an event.
     */
    Received received() {
        Content received = Objects.requireNonNull(content);
        String topic = record.topic();
        if (received.event().sequence() == null) {
            topic += "/" + record.partition() + (topicId == null ? "" : "/" + topicId);
        }
        return new Received(received.aggregate(), topic);
    }

    Incoming refused(Refusal reason) {
        return new Incoming(record, topicId, content, reason);
    }
}
