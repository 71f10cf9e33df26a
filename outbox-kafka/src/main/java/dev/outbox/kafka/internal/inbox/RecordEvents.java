package dev.outbox.kafka.internal.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.OutboxEvent;
import dev.outbox.kafka.internal.inbox.Incoming.Content;
import dev.outbox.kafka.internal.inbox.Incoming.Refusal;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

/** Turns records that are refused or held back into events of the outbox, which the handler of the inbox gets. */
final class RecordEvents {

    private static final int LONGEST_ID = 255;

    private final String inbox;
    private final @Nullable String stream;
    private final int largestPayload;

    RecordEvents(String inbox, @Nullable String stream, int largestPayload) {
        this.inbox = inbox;
        this.stream = stream;
        this.largestPayload = largestPayload;
    }

    OutboxEvent of(UUID id, Incoming incoming, @Nullable Instant heldUntil) {
        Refusal refusal = Objects.requireNonNull(incoming.refusal());
        StoredRecord stored = StoredRecord.of(inbox, incoming.record(), refusal.reason(), refusal.message(), heldUntil);
        String json = stored.json();
        if (json.getBytes(UTF_8).length > largestPayload) {
            json = stored.withoutContent().json();
        }
        OutboxEvent event = OutboxEvent.of(StoredRecord.TYPE, aggregateId(incoming), new RawValue(json))
                .withEventId(id)
                .withEventType(StoredRecord.TYPE);
        return stream == null ? event : event.inStream(stream);
    }

    /** The records of one aggregate wait for each other. */
    private String aggregateId(Incoming incoming) {
        Content content = incoming.content();
        ConsumerRecord<byte[], byte[]> record = incoming.record();
        String id = inbox + "/"
                + (content == null
                        ? record.topic() + "-" + record.partition()
                        : content.aggregate().toString());
        return id.length() <= LONGEST_ID ? id : inbox + "/" + UUID.nameUUIDFromBytes(id.getBytes(UTF_8));
    }
}
