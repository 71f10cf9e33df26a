package dev.outbox.kafka.internal.inbox;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxPublisher;
import dev.outbox.PublishException;
import dev.outbox.StaleSequenceException;
import dev.outbox.forwarding.internal.received.ReceivedStore;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.kafka.InboxRecordMapper;
import dev.outbox.kafka.internal.inbox.Incoming.Refusal;
import dev.outbox.kafka.internal.inbox.StoredRecord.Reason;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Stores the events of polled records in the outbox, in one transaction for each poll. If the outbox refuses one of them, each gets a
 * transaction of its own, and the refused one becomes a dead letter.
 */
public final class Inbox {

    /** Tables of inboxes, beside {@link ReceivedStore#TABLES}. */
    public static final TableModule TABLES = TableModule.named("kafka", "outbox_inbox_offset");

    private static final Logger log = LoggerFactory.getLogger(Inbox.class);

    private static final TransactionDefinition DEFINITION = definition();
    private static final int LONGEST_MESSAGE = 1000;
    private static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

    private final String name;
    private final InboxSettings settings;
    private final Outbox outbox;
    private final InboxTransaction work;
    private final RecordHandler handler;
    private final RefusedRecords refused;

    private OffsetStore.@Nullable Look lastLook;

    /** Objects of the outbox that an inbox needs. */
    public record Outbox(
            OutboxPublisher publisher,
            ReceivedStore received,
            OffsetStore offsets,
            PlatformTransactionManager transactions,
            Subscribers subscribers,
            Brake brake,
            InboxMeter meter,
            int largestPayload) {}

    /** Knows whether any instance has a handler for received events. */
    @FunctionalInterface
    public interface Subscribers {

        /** Returns whether there is one for events with these values; without a stream, the configuration of the streams decides. */
        boolean take(String eventType, String aggregateType, @Nullable String stream);
    }

    /** Pauses a handler, and with it its inbox, in every instance. */
    @FunctionalInterface
    public interface Brake {

        /** Records the reason. Returns whether the handler was not paused before. */
        boolean pause(String handlerId, String reason);
    }

    /** The database has stored some partitions up to other offsets than the consumer has read. Nothing of the poll is stored. */
    static final class OtherOffsetsException extends RuntimeException {

        private static final long serialVersionUID = 1;

        OtherOffsetsException(String message) {
            super(message);
        }
    }

    public Inbox(String name, InboxSettings settings, InboxRecordMapper mapper, Outbox outbox) {
        this.name = name;
        this.settings = settings;
        this.outbox = outbox;
        this.work = new InboxTransaction(name, settings, mapper, outbox);
        this.handler = new RecordHandler(this, outbox, work);
        this.refused = new RefusedRecords(name, System::nanoTime);
    }

    public String name() {
        return name;
    }

    public InboxSettings settings() {
        return settings;
    }

    /** Returns the id of the handler of the records that were refused or held back. */
    public String handlerId() {
        return InboxSettings.HANDLER + name;
    }

    /** Returns the handler of the records that were refused or held back. */
    public RecordHandler handler() {
        return handler;
    }

    /** Returns what the database knows of the inbox. */
    public OffsetStore.Look look() {
        return outbox.offsets().look(settings.group(), settings.topics(), handlerIds());
    }

    /** Returns the id of the handler and its former ones. */
    List<String> handlerIds() {
        return Stream.concat(Stream.of(name), settings.aliases().stream())
                .map(InboxSettings.HANDLER::concat)
                .toList();
    }

    /**
     * Writes the next offsets of partitions that no record moves. Throws if the database has others than the caller knows.
     *
     * @param known the offsets in the database as the caller knows them, updated after the commit
     */
    void move(Map<TopicPartition, StoredOffset> next, Map<TopicPartition, StoredOffset> known) {
        store(List.of(), sorted(next), known);
    }

    /** Returns a look that began after a value of {@link System#nanoTime}: one serves all consumers of the inbox. */
    synchronized OffsetStore.Look look(long since) {
        OffsetStore.Look look = lastLook;
        if (look == null || look.begunAt() - since <= 0) {
            look = look();
            lastLook = look;
        }
        return look;
    }

    /**
     * Stores the events of records that were polled together. Throws what does not concern a single record: nothing may be skipped.
     *
     * @param known the offsets in the database as the caller knows them, updated after each commit
     * @return how many records are dealt with; if not all, the inbox has paused itself
     */
    public int receive(List<ConsumerRecord<byte[], byte[]>> records, Map<TopicPartition, StoredOffset> known) {
        List<Incoming> read = records.stream()
                .map((record) ->
                        work.read(record, offset(partition(record), known).topicId()))
                .toList();
        List<Incoming> batch = read.subList(0, refused.admitted(read));
        try {
            if (!batch.isEmpty()) {
                store(batch, after(batch, known), known);
            }
        } catch (RuntimeException ex) {
            if (!isAboutEvent(ex)) {
                throw ex;
            }
            log.debug("Inbox {} stores {} records one by one: {}", name, batch.size(), Redaction.message(ex));
            for (int i = 0; i < batch.size(); i++) {
                if (!storeAlone(batch.get(i), known)) {
                    return i;
                }
            }
        }
        if (batch.size() < read.size()) {
            stop(read.get(batch.size()));
        }
        return batch.size();
    }

    private boolean storeAlone(Incoming incoming, Map<TopicPartition, StoredOffset> known) {
        try {
            return storeAdmitted(incoming, known);
        } catch (RuntimeException ex) {
            if (!isAboutEvent(ex)) {
                throw ex;
            }
            return storeAdmitted(incoming.refused(new Refusal(Reason.INVALID, Redaction.message(ex))), known);
        }
    }

    /** Returns whether the record is stored. */
    private boolean storeAdmitted(Incoming incoming, Map<TopicPartition, StoredOffset> known) {
        if (refused.admitted(List.of(incoming)) == 0) {
            stop(incoming);
            return false;
        }
        store(List.of(incoming), after(List.of(incoming), known), known);
        return true;
    }

    /** Pauses the handler, which is what a restart finds, and an operator resumes. */
    private void stop(Incoming incoming) {
        String topic = incoming.record().topic();
        String message = incoming.refusedFor();
        String reason = RefusedRecords.MOST_IN_A_ROW + " records of the topic " + topic
                + " in a row could not be stored, and the next is " + incoming.position() + ": "
                + message.substring(0, Math.min(message.length(), LONGEST_MESSAGE));
        if (outbox.brake().pause(handlerId(), reason)) {
            log.error(
                    "Inbox {} pauses itself: {}. Correct the mapper or the topic, then resume the handler {}",
                    name,
                    reason,
                    handlerId());
        }
        refused.readmit(topic);
    }

    /** Not a TransactionTemplate, which reports a rollback that fails in place of the failure, at every attempt of an outage. */
    private void store(
            List<Incoming> batch,
            SortedMap<TopicPartition, StoredOffset> next,
            Map<TopicPartition, StoredOffset> known) {
        TransactionStatus transaction = outbox.transactions().getTransaction(DEFINITION);
        InboxTransaction.Outcome outcome;
        try {
            write(next, known);
            outcome = work.store(batch);
        } catch (RuntimeException | Error ex) {
            try {
                outbox.transactions().rollback(transaction);
            } catch (RuntimeException second) {
                ex.addSuppressed(second);
            }
            throw ex;
        }
        outbox.transactions().commit(transaction);
        known.putAll(next);
        refused.stored(batch, outcome.refused());
        outcome.results().forEach((result, count) -> outbox.meter().count(name, result, count));
    }

    /** Locks partitions and writes their next offsets, unless the database has others than the caller knows. */
    private void write(SortedMap<TopicPartition, StoredOffset> next, Map<TopicPartition, StoredOffset> known) {
        Map<TopicPartition, StoredOffset> stored = outbox.offsets().lock(settings.group(), next.keySet());
        Map<TopicPartition, StoredOffset> expected = new HashMap<>();
        next.keySet().forEach((partition) -> expected.put(partition, offset(partition, known)));
        if (!stored.equals(expected)) {
            throw new OtherOffsetsException("the database has stored up to " + stored + ", and not to " + expected);
        }
        outbox.offsets().write(settings.group(), next);
    }

    /** Returns the offsets behind the records of a batch. */
    private static SortedMap<TopicPartition, StoredOffset> after(
            List<Incoming> batch, Map<TopicPartition, StoredOffset> known) {
        SortedMap<TopicPartition, StoredOffset> next = sorted(Map.of());
        for (Incoming incoming : batch) {
            TopicPartition partition = partition(incoming.record());
            next.put(partition, offset(partition, known).at(incoming.record().offset() + 1));
        }
        return next;
    }

    private static SortedMap<TopicPartition, StoredOffset> sorted(Map<TopicPartition, StoredOffset> offsets) {
        SortedMap<TopicPartition, StoredOffset> sorted = new TreeMap<>(ORDER);
        sorted.putAll(offsets);
        return sorted;
    }

    private static StoredOffset offset(TopicPartition partition, Map<TopicPartition, StoredOffset> known) {
        return known.getOrDefault(partition, StoredOffset.NONE);
    }

    private static TopicPartition partition(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    /** Tells a failure that one event causes from those of the database or the configuration. Of PostgreSQL's error codes: class 22, data; 23, a constraint; 54, a limit. */
    static boolean isAboutEvent(Throwable failure) {
        if (failure instanceof InvalidTransactionException || failure instanceof OutboxConfigurationException) {
            return false;
        }
        if (failure instanceof PublishException || failure instanceof StaleSequenceException) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String state = cause instanceof SQLException sql ? sql.getSQLState() : null;
            if (state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("54"))) {
                return true;
            }
        }
        return false;
    }

    private static TransactionDefinition definition() {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName("outbox-kafka-inbox");
        return definition;
    }
}
