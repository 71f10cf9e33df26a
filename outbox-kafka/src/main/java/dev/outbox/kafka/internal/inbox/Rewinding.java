package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.failure.Redaction;
import dev.outbox.kafka.internal.inbox.StoredOffsets.Known;
import dev.outbox.kafka.internal.inbox.StoredOffsets.Source;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;

/**
 * Sets consumers to what the database has if it has moved back in time, or if Kafka has no offset of the group. Looks when records arrive, before the first poll after an
 * assignment, and regularly, because a quiet partition may have lost events too.
 */
final class Rewinding implements ConsumerAwareRebalanceListener, BatchInterceptor<byte[], byte[]> {

    private static final Logger log = LoggerFactory.getLogger(Rewinding.class);

    /** Metadata of offsets before which the records are stored: if the database has no row then, it has lost it. */
    private static final String MARK = "outbox";

    private static final long INTERVAL_NANOS = Duration.ofSeconds(5).toNanos();

    private final String inbox;
    private final StoredOffsets offsets;
    private final ThreadLocal<Long> lastLook = ThreadLocal.withInitial(() -> System.nanoTime() - INTERVAL_NANOS);

    Rewinding(String inbox, StoredOffsets offsets) {
        this.inbox = inbox;
        this.offsets = offsets;
    }

    @Override
    public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        offsets.forget(partitions);
        lastLook.set(System.nanoTime() - INTERVAL_NANOS);
    }

    @Override
    public void onPartitionsRevokedAfterCommit(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        offsets.forget(partitions);
    }

    /** Marks an offset that was stored; the container may also commit one at which a partition without a row begins. */
    OffsetAndMetadata marked(long offset) {
        return offsets.isWritten(offset) ? new OffsetAndMetadata(offset, MARK) : new OffsetAndMetadata(offset);
    }

    /** Asks Kafka for the committed offsets of partitions that were assigned since. */
    void learn(Consumer<?, ?> consumer) {
        Set<TopicPartition> unknown = offsets.unknown(consumer.assignment());
        if (!unknown.isEmpty()) {
            Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(unknown);
            unknown.forEach((partition) -> offsets.know(partition, known(committed.get(partition))));
        }
    }

    private static Known known(@Nullable OffsetAndMetadata committed) {
        if (committed == null) {
            return Known.NOTHING;
        }
        return new Known(committed.offset(), MARK.equals(committed.metadata()) ? Source.KAFKA : Source.OTHER);
    }

    /** Runs before each poll. */
    @Override
    public void setupThreadState(Consumer<?, ?> consumer) {
        if (System.nanoTime() - lastLook.get() < INTERVAL_NANOS) {
            return;
        }
        lastLook.set(System.nanoTime());
        try {
            learn(consumer);
            Map<TopicPartition, Long> lost = offsets.findLost();
            if (!lost.isEmpty()) {
                seek(consumer, lost);
            }
        } catch (WakeupException ex) {
            consumer.wakeup();
        } catch (RuntimeException ex) {
            log.debug("Inbox {} cannot compare its offsets now: {}", inbox, Redaction.message(ex));
        }
    }

    /** Sets partitions to the offsets that the database has, or to the beginning if it has none. */
    void seek(Consumer<?, ?> consumer, Map<TopicPartition, Long> stored) {
        Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(stored.keySet());
        Map<TopicPartition, Long> ends = consumer.endOffsets(stored.keySet());
        stored.forEach((partition, offset) -> {
            long beginning = beginnings.getOrDefault(partition, 0L);
            boolean expired = offsets.isWithoutOffset(partition);
            if (expired && offset > ends.getOrDefault(partition, offset)) {
                // The topic was created again: the first poll shows where the consumer begins.
                offsets.know(partition, new Known(beginning, Source.OTHER));
                return;
            }
            consumer.seek(partition, Math.max(offset, beginning));
            offsets.know(partition, new Known(offset, Source.DATABASE));
            log(partition, offset, beginning, expired);
        });
    }

    private void log(TopicPartition partition, long offset, long beginning, boolean expired) {
        if (offset == OffsetStore.NONE) {
            log.warn(
                    "Inbox {}: the database has moved back in time to before it received {}, which is received again"
                            + " from its beginning, offset {}",
                    inbox,
                    partition,
                    beginning);
        } else if (offset < beginning) {
            log.error(
                    "Inbox {}: the database has stored {} up to offset {}, but Kafka has removed what is before offset {}:"
                            + " the events in between are lost",
                    inbox,
                    partition,
                    offset,
                    beginning);
        } else if (expired) {
            log.warn(
                    "Inbox {}: Kafka has no offset of the group for {}, which continues at offset {}, up to which it is stored;"
                            + " if the topic was created again, stop the consumers and delete its rows from"
                            + " outbox_inbox_offset",
                    inbox,
                    partition,
                    offset);
        } else {
            log.warn(
                    "Inbox {}: the database has moved back in time, or the offsets of the group were moved forward; {}"
                            + " is received again from offset {}, up to which it is stored",
                    inbox,
                    partition,
                    offset);
        }
    }

    @Override
    public ConsumerRecords<byte[], byte[]> intercept(
            ConsumerRecords<byte[], byte[]> records, Consumer<byte[], byte[]> consumer) {
        return records;
    }
}
