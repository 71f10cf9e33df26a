package dev.outbox.kafka.internal.inbox;

import dev.outbox.operations.OutboxOperations.InboxStart;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Positions of a consumer, which follow the offsets in the database. A partition whose next records Kafka has lost stops until an operator
 * decides where it continues. Only for the thread of the consumer, except {@link #problem}.
 */
final class Positions {

    /** Metadata of offsets before which the records are stored: if the database has no row then, it has lost it. */
    static final String MARK = "outbox";

    private static final Logger log = LoggerFactory.getLogger(Positions.class);

    /** A quiet partition may have lost events too, and an operator may pause the inbox. */
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

    private final Inbox inbox;
    private final TopicIds topicIds;

    /** Offsets in the database as this consumer knows them. */
    private final Map<TopicPartition, StoredOffset> known = new HashMap<>();

    /** Offsets that the consumer has reached since the last look, which may be behind the markers of transactions. */
    private final Map<TopicPartition, Long> reached = new HashMap<>();

    /** Partitions that have other records before their offset than the consumer has received. */
    private final Set<TopicPartition> truncated = new HashSet<>();

    private final Map<TopicPartition, String> stopped = new ConcurrentHashMap<>();

    private volatile boolean paused;
    private boolean repeats;
    private long updates;

    /** When this consumer last looked, and last learned or wrote offsets, as values of {@link System#nanoTime}. */
    private long lookedAt;

    private long knownSince;

    /** What Kafka has of a partition. */
    private record Available(@Nullable String topicId, long beginning, long end) {

        StoredOffset at(long offset) {
            return new StoredOffset(offset, topicId, false);
        }
    }

    Positions(Inbox inbox, TopicIds topicIds) {
        this.inbox = inbox;
        this.topicIds = topicIds;
    }

    /** Returns why the consumer, or which of its partitions, stands still, or {@code null}. */
    @Nullable
    String problem() {
        if (paused) {
            return "its handler is paused, for the reason in the operation log";
        }
        return stopped.isEmpty() ? null : String.join("; ", new TreeSet<>(stopped.values()));
    }

    /** Stores the records of a poll, and returns how many are dealt with. */
    int receive(List<ConsumerRecord<byte[], byte[]>> records) {
        int count = inbox.receive(records, known);
        knownSince = System.nanoTime();
        repeats |= count < records.size();
        return count;
    }

    /** Makes the next look set all positions. */
    void repeat() {
        repeats = true;
    }

    /** Forgets all of a consumer that has ended. */
    void clear() {
        known.clear();
        reached.clear();
        stopped.clear();
        paused = false;
    }

    /** Makes the next look set the positions of partitions that were assigned or revoked. */
    void forget(Collection<TopicPartition> partitions) {
        known.keySet().removeAll(partitions);
        stopped.keySet().removeAll(partitions);
    }

    /** Makes the next look find out why Kafka does not have the positions of some partitions. */
    void refused(InvalidOffsetException ex) {
        known.keySet().removeAll(ex.partitions());
        if (ex instanceof LogTruncationException) {
            truncated.addAll(ex.partitions());
        }
    }

    /** Notes how far a poll has read, after its records are stored, unless a look has moved the partition. */
    void reached(ConsumerRecords<?, ?> polled, Set<TopicPartition> moved) {
        polled.nextOffsets().forEach((partition, next) -> {
            if (!moved.contains(partition)) {
                reached.put(partition, next.offset());
            }
        });
    }

    /**
     * Compares with the database and the ids of the topics if it is time to, after a failure or an assignment, or if the consumer may have
     * read from a topic that was created again. Returns the partitions that it has moved, of which no polled record may be stored.
     */
    Set<TopicPartition> look(Consumer<byte[], byte[]> consumer) {
        Set<TopicPartition> assigned = consumer.assignment();
        long seen = topicIds.updates();
        long now = System.nanoTime();
        boolean due = now - lookedAt >= LOOK_INTERVAL.toNanos() || seen != updates;
        boolean needed = repeats || !known.keySet().containsAll(assigned);
        if (!due && !needed) {
            return Set.of();
        }
        OffsetStore.Look look = inbox.look(needed ? now : knownSince);
        knownSince = look.begunAt();
        Map<String, String> ids =
                topicIds.of(assigned.stream().map(TopicPartition::topic).collect(Collectors.toSet()));
        Set<TopicPartition> moved = new HashSet<>();
        for (TopicPartition partition : assigned) {
            StoredOffset stored = look.stored().getOrDefault(partition, StoredOffset.NONE);
            StoredOffset before = known.get(partition);
            if (before != null && stored.exists() && before.next() != stored.next()) {
                warnOfOther(partition, stored.next(), before.next());
            }
            if (repeats
                    || !stored.equals(before)
                    || look.resumed().containsKey(partition)
                    || !Objects.equals(stored.topicId(), ids.getOrDefault(partition.topic(), stored.topicId()))) {
                moved.add(partition);
                known.put(partition, stored);
            }
        }
        move(consumer, moved, ids, look.resumed());
        repeats = false;
        updates = seen;
        lookedAt = look.begunAt();
        pause(consumer, look.paused());
        return moved;
    }

    private void warnOfOther(TopicPartition partition, long stored, long before) {
        log.warn(
                "Inbox {}: {} continues at offset {}, up to which it is stored, and not at {}: the database has moved back"
                        + " in time, an operator changed the offset, or another instance has received the partition",
                inbox.name(),
                partition,
                stored,
                before);
    }

    /** Writes the offsets that the database does not have, and sets the positions of moved partitions. */
    private void move(
            Consumer<byte[], byte[]> consumer,
            Set<TopicPartition> moved,
            Map<String, String> ids,
            Map<TopicPartition, InboxStart> resumed) {
        Map<TopicPartition, StoredOffset> next = new HashMap<>();
        reached.forEach((partition, offset) -> {
            StoredOffset stored = known.get(partition);
            if (stored != null && offset > stored.next()) {
                next.put(partition, stored.at(offset));
            }
        });
        reached.clear();
        next.keySet().removeAll(moved);
        if (!moved.isEmpty()) {
            Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(moved);
            Map<TopicPartition, Long> ends = consumer.endOffsets(moved);
            Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(moved);
            for (TopicPartition partition : moved) {
                StoredOffset stored = Objects.requireNonNull(known.get(partition));
                Available available = new Available(
                        ids.getOrDefault(partition.topic(), stored.topicId()),
                        beginnings.getOrDefault(partition, 0L),
                        ends.getOrDefault(partition, Long.MAX_VALUE));
                next.put(
                        partition,
                        stored.exists()
                                ? decide(partition, stored, available, resumed.get(partition))
                                : begin(partition, available, committed.get(partition)));
            }
        }
        next.entrySet().removeIf((entry) -> entry.getValue().equals(known.get(entry.getKey())));
        if (!next.isEmpty()) {
            inbox.move(next, known);
            knownSince = System.nanoTime();
        }
        for (TopicPartition partition : moved) {
            consumer.seek(
                    partition, Objects.requireNonNull(known.get(partition)).next());
        }
    }

    /** Returns where a partition without a row begins. */
    private StoredOffset begin(TopicPartition partition, Available available, @Nullable OffsetAndMetadata committed) {
        if (committed == null) {
            return available.at(available.beginning());
        }
        if (!MARK.equals(committed.metadata())) {
            return decide(partition, new StoredOffset(committed.offset(), null, false), available, null);
        }
        log.warn(
                "Inbox {}: the database has moved back in time to before it received {}, which is received again from its"
                        + " beginning, offset {}",
                inbox.name(),
                partition,
                available.beginning());
        return available.at(available.beginning());
    }

    /** Returns where a partition continues, or that it stops. */
    private StoredOffset decide(
            TopicPartition partition, StoredOffset stored, Available available, @Nullable InboxStart resumed) {
        stopped.remove(partition);
        boolean other = truncated.remove(partition);
        boolean again = stored.topicId() == null
                ? stored.next() > available.end()
                : !stored.topicId().equals(available.topicId());
        if (again) {
            if (stored.next() != available.beginning()) {
                log.warn(
                        "Inbox {}: the topic of {} was created again, and is received from its beginning, offset {}, and not from"
                                + " offset {}",
                        inbox.name(),
                        partition,
                        available.beginning(),
                        stored.next());
            }
            return available.at(available.beginning());
        }
        if (resumed != null) {
            long offset = resumed == InboxStart.EARLIEST ? available.beginning() : available.end();
            log.info(
                    "Inbox {}: {} continues at offset {}, and not at {}, as an operator has decided",
                    inbox.name(),
                    partition,
                    offset,
                    stored.next());
            return available.at(offset);
        }
        String loss = null;
        if (stored.next() < available.beginning()) {
            loss = "Kafka has removed the records before offset " + available.beginning();
        } else if (stored.next() > available.end()) {
            loss = "Kafka has lost the records from offset " + available.end() + " on";
        } else if (other || stored.stopped()) {
            loss = "Kafka has lost records before this offset and has others in their place";
        }
        if (loss == null) {
            return available.at(stored.next());
        }
        String problem = partition + " is stored up to offset " + stored.next() + ", but " + loss
                + "; OutboxOperations.resumeInbox decides where it continues";
        stopped.put(partition, problem);
        if (!stored.stopped()) {
            log.error("Inbox {} stops a partition, because events are lost: {}", inbox.name(), problem);
        }
        return new StoredOffset(stored.next(), available.topicId(), true);
    }

    private void pause(Consumer<byte[], byte[]> consumer, boolean wanted) {
        Set<TopicPartition> pausing = wanted ? consumer.assignment() : stopped.keySet();
        if (!pausing.isEmpty()) {
            consumer.pause(pausing);
        }
        Set<TopicPartition> resuming = new HashSet<>(consumer.paused());
        resuming.removeAll(pausing);
        consumer.resume(resuming);
        if (wanted && !paused) {
            log.info("Inbox {} pauses with its handler", inbox.name());
        }
        paused = wanted;
    }
}
