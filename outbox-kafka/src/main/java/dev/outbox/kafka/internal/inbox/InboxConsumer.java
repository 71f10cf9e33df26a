package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.failure.Redaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumer of an inbox on a thread of its own, which survives every failure and skips nothing: it continues at the offsets in the database,
 * which move back in time together with the events. The offsets that it commits to Kafka only show operators how far it is.
 */
public final class InboxConsumer implements ConsumerRebalanceListener {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    /** Metadata of offsets before which the records are stored: if the database has no row then, it has lost it. */
    private static final String MARK = "outbox";

    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    /** A quiet partition may have lost events too, and an operator may pause the inbox. */
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

    private static final int FIRST_DELAY_MILLIS = 200;
    private static final int LARGEST_DOUBLINGS = 6;

    private final Inbox inbox;
    private final Supplier<Consumer<byte[], byte[]>> factory;
    private final BackgroundLoop loop;
    private final Reception reception;

    /** Next offsets in the database as this consumer knows them; {@link OffsetStore#NONE} without a row. */
    private final Map<TopicPartition, Long> next = new HashMap<>();

    private @Nullable Consumer<byte[], byte[]> consumer;
    private boolean repeats = true;

    /** When this consumer last looked, and last learned offsets, as values of {@link System#nanoTime}. */
    private long lookedAt;

    private long knownSince;
    private int failures;
    private volatile boolean paused;
    private volatile @Nullable String problem;

    public InboxConsumer(Inbox inbox, int number, Supplier<Consumer<byte[], byte[]>> factory) {
        this.inbox = inbox;
        this.factory = factory;
        this.reception = new Reception(Set.copyOf(inbox.settings().topics()), System::nanoTime);
        this.loop = new BackgroundLoop(inbox.handlerId() + "-" + number, this::round, InboxConsumer::thread);
    }

    /** A service that only receives keeps running. */
    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(false);
        return thread;
    }

    public Inbox inbox() {
        return inbox;
    }

    /** Returns why the consumer receives nothing, or {@code null} if it works. */
    public @Nullable String problem() {
        String found = problem;
        return found == null && paused ? "its handler is paused, for the reason in the operation log" : found;
    }

    public void start() {
        repeats = true;
        loop.start();
    }

    /** Makes the current poll the last one; {@link #close} must follow. */
    public void stopSoon() {
        loop.stopSoon();
    }

    public void close() {
        if (loop.close(SHUTDOWN_TIMEOUT)) {
            closeConsumer();
        }
        paused = false;
        problem = null;
    }

    private Duration round() {
        try {
            String silence = reception.problem(poll());
            failures = 0;
            report(silence, null);
            return Duration.ZERO;
        } catch (Throwable ex) {
            repeats = true;
            return ex instanceof Inbox.OtherOffsetsException || loop.isClosing() ? Duration.ZERO : failed(ex);
        }
    }

    private Duration failed(Throwable ex) {
        failures++;
        report(ex.getClass().getName() + ": " + Redaction.message(ex), Redaction.loggable(ex));
        return Duration.ofMillis((long) FIRST_DELAY_MILLIS << Math.min(failures - 1, LARGEST_DOUBLINGS));
    }

    private void report(@Nullable String found, @Nullable Throwable cause) {
        if (problem == null && found != null) {
            log.error(
                    "Inbox {} cannot receive: {}; it tries again until it can, and skips nothing",
                    inbox.name(),
                    found,
                    cause);
        } else if (problem != null && found == null) {
            log.info("Inbox {} receives again", inbox.name());
        }
        problem = found;
    }

    private Consumer<byte[], byte[]> poll() {
        Consumer<byte[], byte[]> polling = consumer == null ? open() : consumer;
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = polling.poll(POLL_TIMEOUT);
        } catch (Throwable ex) {
            if (!isTemporary(ex)) {
                closeConsumer();
            }
            throw ex;
        }
        Set<TopicPartition> moved = look(polling);
        List<ConsumerRecord<byte[], byte[]>> received = new ArrayList<>();
        records.partitions().stream()
                .filter((partition) -> !moved.contains(partition))
                .forEach((partition) -> received.addAll(records.records(partition)));
        if (!received.isEmpty()) {
            int count = inbox.receive(received, next);
            knownSince = System.nanoTime();
            repeats |= count < received.size();
            Map<TopicPartition, OffsetAndMetadata> stored = new HashMap<>();
            received.subList(0, count)
                    .forEach((record) -> stored.put(
                            new TopicPartition(record.topic(), record.partition()),
                            new OffsetAndMetadata(record.offset() + 1, MARK)));
            polling.commitAsync(stored, null);
        }
        return polling;
    }

    private Consumer<byte[], byte[]> open() {
        Consumer<byte[], byte[]> opened = factory.get();
        consumer = opened;
        next.clear();
        reception.begin();
        opened.subscribe(inbox.settings().topics(), this);
        return opened;
    }

    private void closeConsumer() {
        Consumer<byte[], byte[]> closing = consumer;
        consumer = null;
        if (closing != null) {
            try {
                closing.close(CloseOptions.timeout(CLOSE_TIMEOUT));
            } catch (RuntimeException ex) {
                log.debug("A consumer of inbox {} did not close", inbox.name(), ex);
            }
        }
    }

    /** After another failure, a consumer may not work any more. */
    private static boolean isTemporary(Throwable failure) {
        return failure instanceof RetriableException
                || failure instanceof AuthenticationException
                || failure instanceof AuthorizationException;
    }

    /** A partition has no records before its offset in the database is known. */
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        next.keySet().removeAll(partitions);
        if (consumer != null) {
            consumer.pause(partitions);
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        next.keySet().removeAll(partitions);
    }

    /** Compares with the database if it is time to, or after a failure or an assignment. Returns the partitions that it has moved. */
    private Set<TopicPartition> look(Consumer<byte[], byte[]> consumer) {
        Set<TopicPartition> assigned = consumer.assignment();
        long now = System.nanoTime();
        boolean due = now - lookedAt >= LOOK_INTERVAL.toNanos();
        boolean needed = repeats || !next.keySet().containsAll(assigned);
        if (!due && !needed) {
            return Set.of();
        }
        OffsetStore.Look look = inbox.look(needed ? now : knownSince);
        Set<TopicPartition> moved = new HashSet<>();
        for (TopicPartition partition : assigned) {
            long stored = look.next().getOrDefault(partition, OffsetStore.NONE);
            Long known = next.get(partition);
            if (known != null && known != stored && stored != OffsetStore.NONE) {
                log.warn(
                        "Inbox {}: {} continues at offset {}, up to which it is stored, and not at {}: the database has moved back"
                                + " in time, an operator changed the offset, or another instance has received the partition",
                        inbox.name(),
                        partition,
                        stored,
                        known);
            }
            if (repeats || known == null || known != stored) {
                moved.add(partition);
            }
        }
        seek(consumer, look.next(), moved);
        repeats = false;
        lookedAt = look.begunAt();
        knownSince = lookedAt;
        pause(consumer, look.paused());
        return moved;
    }

    private void pause(Consumer<byte[], byte[]> consumer, boolean wanted) {
        if (wanted) {
            consumer.pause(consumer.assignment());
        } else {
            consumer.resume(consumer.paused());
        }
        if (wanted && !paused) {
            log.info("Inbox {} pauses with its handler", inbox.name());
        }
        paused = wanted;
    }

    private void seek(
            Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> stored, Set<TopicPartition> partitions) {
        if (partitions.isEmpty()) {
            return;
        }
        Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(partitions);
        for (TopicPartition partition : partitions) {
            long row = stored.getOrDefault(partition, OffsetStore.NONE);
            long beginning = beginnings.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, Long.MAX_VALUE);
            consumer.seek(
                    partition,
                    row == OffsetStore.NONE
                            ? withoutRow(partition, beginning, committed.get(partition))
                            : withRow(partition, row, beginning, end));
            next.put(partition, row);
        }
    }

    private long withoutRow(TopicPartition partition, long beginning, @Nullable OffsetAndMetadata committed) {
        if (committed == null) {
            return beginning;
        }
        if (!MARK.equals(committed.metadata())) {
            return committed.offset();
        }
        log.warn(
                "Inbox {}: the database has moved back in time to before it received {}, which is received again from its"
                        + " beginning, offset {}",
                inbox.name(),
                partition,
                beginning);
        return beginning;
    }

    private long withRow(TopicPartition partition, long row, long beginning, long end) {
        if (row < beginning) {
            log.error(
                    "Inbox {}: the database has stored {} up to offset {}, but Kafka has removed what is before offset {}: the"
                            + " events in between are lost",
                    inbox.name(),
                    partition,
                    row,
                    beginning);
            return beginning;
        }
        if (row > end) {
            log.warn(
                    "Inbox {}: the database has stored {} up to offset {}, but it ends at {}: the topic was created again, and is"
                            + " received from its beginning",
                    inbox.name(),
                    partition,
                    row,
                    end);
            return beginning;
        }
        return row;
    }
}
