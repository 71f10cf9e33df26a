package dev.outbox.kafka.internal.inbox;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the offsets in the database with those that a consumer knows to be stored. If the database has lower ones, it has moved back in
 * time. Each consumer has a thread of its own, and each thread its own view.
 */
final class StoredOffsets {

    private static final Logger log = LoggerFactory.getLogger(StoredOffsets.class);

    private final InboxSettings settings;
    private final OffsetStore store;
    private final ThreadLocal<Map<TopicPartition, Known>> known = ThreadLocal.withInitial(HashMap::new);

    StoredOffsets(InboxSettings settings, OffsetStore store) {
        this.settings = settings;
        this.store = store;
    }

    /** Who says that the records before an offset are stored. */
    enum Source {
        /** An offset in Kafka that this library has not committed. The database need not have the partition. */
        OTHER,
        /** An offset that an inbox has committed to Kafka. */
        KAFKA,
        /** An offset that this consumer has written to the database. */
        DATABASE
    }

    /** Offset before which the records of a partition are stored. */
    record Known(long next, Source source) {

        /** Kafka has no committed offset: the group is new, its offsets have expired, or the topic was created again. */
        static final Known NOTHING = new Known(OffsetStore.NONE, Source.OTHER);

        boolean isAhead(long stored) {
            return stored < next && !(stored == OffsetStore.NONE && source == Source.OTHER);
        }

        /** Another consumer has written last, so this one may have lost the partition. */
        private boolean isOvertaken(long stored) {
            return source == Source.DATABASE && stored > next;
        }
    }

    /** Returns the partitions for which Kafka's offset was not read since they were assigned. */
    Set<TopicPartition> unknown(Collection<TopicPartition> partitions) {
        return partitions.stream()
                .filter((partition) -> !known.get().containsKey(partition))
                .collect(Collectors.toSet());
    }

    void know(TopicPartition partition, Known offset) {
        known.get().put(partition, offset);
    }

    /** Returns whether Kafka has no committed offset of a partition, and the consumer has not begun with it. */
    boolean isWithoutOffset(TopicPartition partition) {
        return Known.NOTHING.equals(known.get().get(partition));
    }

    void forget(Collection<TopicPartition> partitions) {
        known.get().keySet().removeAll(partitions);
    }

    /** Returns the offsets of partitions that the database has lost. Reads without a lock. */
    Map<TopicPartition, Long> findLost() {
        if (known.get().isEmpty()) {
            return Map.of();
        }
        Map<TopicPartition, Long> stored =
                store.read(settings.source().group(), settings.source().topics());
        return lost(known.get().keySet().stream()
                .collect(Collectors.toMap(
                        Function.identity(), (partition) -> stored.getOrDefault(partition, OffsetStore.NONE))));
    }

    private Map<TopicPartition, Long> lost(Map<TopicPartition, Long> stored) {
        Map<TopicPartition, Long> lost = new HashMap<>(stored);
        lost.entrySet().removeIf((row) -> {
            Known offset = known.get().get(row.getKey());
            return offset == null || !offset.isAhead(row.getValue());
        });
        return lost;
    }

    /**
     * Locks the partitions of a batch and writes their next offsets in the thread's transaction. Returns what is known once it is
     * committed; fails if the database has moved back, or has an offset of a partition for which Kafka has none.
     */
    Map<TopicPartition, Known> advance(List<Incoming> batch) {
        SortedMap<TopicPartition, Long> next =
                new TreeMap<>(Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
        Map<TopicPartition, Long> first = new HashMap<>();
        for (Incoming incoming : batch) {
            ConsumerRecord<byte[], byte[]> record = incoming.record();
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            first.putIfAbsent(partition, record.offset());
            next.put(partition, record.offset() + 1);
        }
        Map<TopicPartition, Long> stored = store.lock(settings.source().group(), next.keySet());
        Map<TopicPartition, Long> others = lost(stored);
        stored.forEach((partition, offset) -> {
            if (offset != OffsetStore.NONE && isWithoutOffset(partition) && !offset.equals(first.get(partition))) {
                others.put(partition, offset);
            }
        });
        if (!others.isEmpty()) {
            throw new OtherOffsetsException(others);
        }
        stored.forEach((partition, offset) -> {
            Known before = known.get().getOrDefault(partition, new Known(offset, Source.OTHER));
            if (before.isOvertaken(offset)) {
                next.merge(partition, offset, Math::max);
            } else if (first.getOrDefault(partition, offset) < offset) {
                logLower(partition, first.getOrDefault(partition, offset), offset);
            }
        });
        store.write(settings.source().group(), next);
        return next.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, (row) -> new Known(row.getValue(), Source.DATABASE)));
    }

    private void logLower(TopicPartition partition, long offset, long stored) {
        log.info(
                "Inbox {} receives {} from offset {} although the database has stored it up to {}: an instance ended before it"
                        + " committed the offset, the offsets of the group were set back, or the topic was created again;"
                        + " events that are known are dropped",
                settings.name(),
                partition,
                offset,
                stored);
    }

    /** Returns whether the consumer has written an offset since its partition was assigned. */
    boolean isWritten(long offset) {
        return known.get().containsValue(new Known(offset, Source.DATABASE));
    }

    void committed(Map<TopicPartition, Known> written) {
        known.get().putAll(written);
    }
}
