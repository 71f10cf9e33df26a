package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.delivery.NewEvent.Aggregate;
import dev.outbox.kafka.internal.cloudevents.CloudEvent;
import dev.outbox.kafka.internal.cloudevents.CloudEventReader;
import dev.outbox.kafka.internal.cloudevents.ReservedNames;
import dev.outbox.kafka.internal.cloudevents.UnreadableRecordException;
import dev.outbox.kafka.internal.inbox.ReceivedStore.Received;
import dev.outbox.kafka.internal.inbox.StoredRecord.Reason;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Record with the event that it describes, or with the reason for which it is refused. */
record Incoming(
        ConsumerRecord<byte[], byte[]> record,
        @Nullable Content content,
        @Nullable Refusal refusal) {

    private static final int LONGEST_NAME = 255;

    /** Event and the aggregate that it has here. */
    record Content(CloudEvent event, Aggregate aggregate) {

        long sequence() {
            return event.aggregate().sequence();
        }

        @Override
        public String toString() {
            return "event " + event.id() + " of " + aggregate + " with sequence " + sequence();
        }
    }

    /** Why a record is not stored as an event. */
    record Refusal(Reason reason, String message) {}

    static Incoming read(ConsumerRecord<byte[], byte[]> record, String aggregateTypePrefix) {
        try {
            CloudEvent event = CloudEventReader.read(record);
            String type = aggregateTypePrefix + event.aggregate().type();
            String invalid = invalid("aggregate type", type);
            if (invalid == null) {
                invalid = invalid("aggregate id", event.aggregate().id());
            }
            if (type.equals(ReservedNames.STORED_RECORD) || event.type().name().equals(ReservedNames.STORED_RECORD)) {
                invalid = "the name " + ReservedNames.STORED_RECORD + " is reserved for records that an inbox refuses";
            }
            return invalid == null
                    ? new Incoming(
                            record,
                            new Content(
                                    event, new Aggregate(type, event.aggregate().id())),
                            null)
                    : new Incoming(record, null, new Refusal(Reason.INVALID, invalid));
        } catch (UnreadableRecordException ex) {
            return new Incoming(record, null, new Refusal(Reason.UNREADABLE, String.valueOf(ex.getMessage())));
        }
    }

    /** A key that PostgreSQL refuses would abort the transaction of the whole batch. */
    private static @Nullable String invalid(String what, String name) {
        if (name.length() > LONGEST_NAME) {
            return "the " + what + " has more than " + LONGEST_NAME + " characters";
        }
        return name.indexOf('\0') < 0 ? null : "the " + what + " contains the character U+0000";
    }

    /** Returns the aggregate in its topic. Only for a record with an event. */
    Received received() {
        return new Received(Objects.requireNonNull(content).aggregate(), record.topic());
    }

    Incoming refused(String message) {
        return new Incoming(record, content, new Refusal(Reason.INVALID, message));
    }
}
