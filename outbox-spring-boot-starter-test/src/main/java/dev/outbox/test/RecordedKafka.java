package dev.outbox.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.kafka.internal.forwarder.ProducerSettings;
import dev.outbox.kafka.internal.forwarder.SharedProducer;
import dev.outbox.kafka.internal.inbox.Inbox;
import dev.outbox.kafka.internal.inbox.Inboxes;
import dev.outbox.kafka.internal.inbox.StoredOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Takes the place of a broker: records what the routes send, and hands records to the inboxes. */
final class RecordedKafka implements KafkaRecords, SharedProducer.Factory {

    private final Supplier<@Nullable Inboxes> inboxes;
    private final MockProducer<Object, Object> producer =
            new MockProducer<>(true, null, (topic, key) -> new byte[0], (topic, value) -> new byte[0]);

    RecordedKafka(Supplier<@Nullable Inboxes> inboxes) {
        this.inboxes = inboxes;
    }

    @Override
    public SharedProducer create(ProducerSettings settings) {
        return new SharedProducer(() -> producer, () -> {});
    }

    @Override
    public List<ForwardedRecord> forwarded(String topic) {
        return producer.history().stream()
                .filter((record) -> record.topic().equals(topic))
                .map(RecordedKafka::forwarded)
                .toList();
    }

    private static ForwardedRecord forwarded(ProducerRecord<Object, Object> record) {
        Map<String, String> headers = new HashMap<>();
        record.headers().forEach((header) -> headers.put(header.key(), text(header.value())));
        String key = record.key() == null ? null : text(record.key());
        return new ForwardedRecord(record.topic(), key, text(record.value()), headers);
    }

    private static String text(@Nullable Object value) {
        return value instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(value);
    }

    @Override
    public void receive(ForwardedRecord record) {
        Inboxes all = inboxes.get();
        List<Inbox> receivers = all == null
                ? List.of()
                : all.all().values().stream()
                        .filter((inbox) -> inbox.settings().topics().contains(record.destination()))
                        .toList();
        if (receivers.isEmpty()) {
            throw new IllegalArgumentException("no inbox receives the topic " + record.destination());
        }
        receivers.forEach((inbox) -> receive(inbox, record));
    }

    private static void receive(Inbox inbox, ForwardedRecord record) {
        Map<TopicPartition, StoredOffset> known = new HashMap<>(inbox.look().stored());
        StoredOffset stored = known.get(new TopicPartition(record.destination(), 0));
        long offset = stored == null ? 0 : stored.next();
        RecordHeaders headers = new RecordHeaders();
        record.headers().forEach((name, value) -> headers.add(name, value.getBytes(UTF_8)));
        String key = record.key();
        inbox.receive(
                List.of(new ConsumerRecord<>(
                        record.destination(),
                        0,
                        offset,
                        System.currentTimeMillis(),
                        TimestampType.CREATE_TIME,
                        ConsumerRecord.NULL_SIZE,
                        ConsumerRecord.NULL_SIZE,
                        key == null ? new byte[0] : key.getBytes(UTF_8),
                        record.value().getBytes(UTF_8),
                        headers,
                        Optional.empty())),
                known);
    }

    @Override
    public void clear() {
        producer.clear();
    }
}
