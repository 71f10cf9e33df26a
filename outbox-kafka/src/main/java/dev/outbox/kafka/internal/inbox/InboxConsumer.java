package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
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

    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private static final int FIRST_DELAY_MILLIS = 200;
    private static final int LARGEST_DOUBLINGS = 6;

    private final Inbox inbox;
    private final Supplier<Consumer<byte[], byte[]>> factory;
    private final BackgroundLoop loop;
    private final Reception reception;
    private final Positions positions;

    private @Nullable Consumer<byte[], byte[]> consumer;
    private int failures;
    private boolean reported;
    private volatile @Nullable String problem;

    /** Receives with consumers of a factory, which deserialize their keys with the ids of topics. */
    public InboxConsumer(
            Inbox inbox,
            int number,
            DataSource database,
            TopicIds topicIds,
            Supplier<Consumer<byte[], byte[]>> factory) {
        this.inbox = inbox;
        this.factory = factory;
        this.positions = new Positions(inbox, topicIds);
        this.reception = new Reception(Set.copyOf(inbox.settings().topics()), System::nanoTime);
        this.loop = new BackgroundLoop(inbox.handlerId() + "-" + number, database, this::round, InboxConsumer::thread);
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

    /** Returns why the consumer receives nothing, or not all of its partitions, or {@code null} if it works. */
    public @Nullable String problem() {
        String found = problem;
        return found == null ? positions.problem() : found;
    }

    public void start() {
        positions.repeat();
        loop.start();
    }

    /** Makes the current poll the last one; {@link #close} must follow. */
    public void stopSoon() {
        loop.stopSoon();
    }

    /** Waits for the end of the current poll for so long, and interrupts it then. */
    public void close(Duration patience) {
        if (loop.close(patience)) {
            closeConsumer();
        }
        positions.clear();
        problem = null;
        reported = false;
    }

    private Duration round() throws Exception {
        try {
            String silence = reception.problem(poll());
            failures = 0;
            report(silence, null);
            return Duration.ZERO;
        } catch (Throwable ex) {
            positions.repeat();
            return ex instanceof Inbox.OtherOffsetsException || loop.isClosing() ? Duration.ZERO : failed(ex);
        }
    }

    /** An outage of the database is the same for every thread: the loop reports it. */
    private Duration failed(Throwable ex) throws Exception {
        String found = ex.getClass().getName() + ": " + Redaction.message(ex);
        if (ex instanceof Exception outage && Causes.isUnreachable(ex)) {
            problem = found;
            throw outage;
        }
        failures++;
        report(found, Redaction.loggable(ex));
        return Duration.ofMillis((long) FIRST_DELAY_MILLIS << Math.min(failures - 1, LARGEST_DOUBLINGS));
    }

    private void report(@Nullable String found, @Nullable Throwable cause) {
        if (!reported && found != null) {
            log.error(
                    "Inbox {} cannot receive: {}; it tries again until it can, and skips nothing",
                    inbox.name(),
                    found,
                    cause);
        } else if (reported && found == null) {
            log.info("Inbox {} receives again", inbox.name());
        }
        reported = found != null;
        problem = found;
    }

    private Consumer<byte[], byte[]> poll() {
        Consumer<byte[], byte[]> polling = consumer == null ? open() : consumer;
        ConsumerRecords<byte[], byte[]> records = read(polling);
        Set<TopicPartition> moved = positions.look(polling);
        List<ConsumerRecord<byte[], byte[]>> received = new ArrayList<>();
        records.partitions().stream()
                .filter((partition) -> !moved.contains(partition))
                .forEach((partition) -> received.addAll(records.records(partition)));
        if (!received.isEmpty()) {
            int count = positions.receive(received);
            Map<TopicPartition, OffsetAndMetadata> stored = new HashMap<>();
            received.subList(0, count)
                    .forEach((record) -> stored.put(
                            new TopicPartition(record.topic(), record.partition()),
                            new OffsetAndMetadata(record.offset() + 1, Positions.MARK)));
            polling.commitAsync(stored, null);
        }
        positions.reached(records, moved);
        return polling;
    }

    private ConsumerRecords<byte[], byte[]> read(Consumer<byte[], byte[]> polling) {
        try {
            return polling.poll(POLL_TIMEOUT);
        } catch (InvalidOffsetException ex) {
            positions.refused(ex);
            return ConsumerRecords.empty();
        } catch (Throwable ex) {
            if (!isTemporary(ex)) {
                closeConsumer();
            }
            throw ex;
        }
    }

    private Consumer<byte[], byte[]> open() {
        Consumer<byte[], byte[]> opened = factory.get();
        consumer = opened;
        positions.clear();
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
        positions.forget(partitions);
        if (consumer != null) {
            consumer.pause(partitions);
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        positions.forget(partitions);
    }
}
