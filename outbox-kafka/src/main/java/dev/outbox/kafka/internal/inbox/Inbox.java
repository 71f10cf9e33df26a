package dev.outbox.kafka.internal.inbox;

import dev.outbox.OutboxPublisher;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.kafka.internal.inbox.InboxMeter.Result;
import dev.outbox.kafka.internal.inbox.StoredOffsets.Known;
import java.util.List;
import java.util.Map;
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

    private static final Logger log = LoggerFactory.getLogger(Inbox.class);

    private static final TransactionDefinition DEFINITION = definition();

    private final InboxSettings settings;
    private final PlatformTransactionManager transactions;
    private final InboxTransaction work;
    private final RecordHandler handler;
    private final StoredOffsets offsets;
    private final InboxMeter meter;

    /** Objects of the outbox that an inbox needs. */
    public record Outbox(
            OutboxPublisher publisher,
            ReceivedStore received,
            PlatformTransactionManager transactions,
            Subscribers subscribers,
            int largestPayload) {}

    /** Knows whether any instance has a handler for received events. */
    @FunctionalInterface
    public interface Subscribers {

        /** Returns whether there is one for events with these values; without a stream, the configuration of the streams decides. */
        boolean take(String eventType, String aggregateType, @Nullable String stream);
    }

    public Inbox(InboxSettings settings, Outbox outbox, OffsetStore offsets, InboxMeter meter) {
        this.settings = settings;
        this.transactions = outbox.transactions();
        this.work = new InboxTransaction(
                settings,
                outbox.received(),
                outbox.publisher(),
                outbox.subscribers(),
                new RecordEvents(settings, outbox.largestPayload()));
        this.handler = new RecordHandler(settings, outbox.received(), outbox.publisher(), work);
        this.offsets = new StoredOffsets(settings, offsets);
        this.meter = meter;
    }

    public InboxSettings settings() {
        return settings;
    }

    /** Returns the handler of the records that were refused or held back. */
    public RecordHandler handler() {
        return handler;
    }

    StoredOffsets offsets() {
        return offsets;
    }

    /** Stores the events of records that were polled together. Throws what does not concern a single record: nothing may be skipped. */
    public void receive(List<ConsumerRecord<byte[], byte[]>> records) {
        List<Incoming> batch = records.stream()
                .map((record) -> Incoming.read(record, settings.target().aggregateTypePrefix()))
                .toList();
        try {
            store(batch);
        } catch (RuntimeException ex) {
            if (!Refusals.isAboutEvent(ex)) {
                throw ex;
            }
            log.debug(
                    "Inbox {} stores {} records one by one: {}", settings.name(), batch.size(), Redaction.message(ex));
            batch.forEach(this::storeAlone);
        }
    }

    private void storeAlone(Incoming incoming) {
        try {
            store(List.of(incoming));
        } catch (RuntimeException ex) {
            if (!Refusals.isAboutEvent(ex)) {
                throw ex;
            }
            store(List.of(incoming.refused(Redaction.message(ex))));
        }
    }

    /** Not a TransactionTemplate, which reports a rollback that fails in place of the failure, at every attempt of an outage. */
    private void store(List<Incoming> batch) {
        TransactionStatus transaction = transactions.getTransaction(DEFINITION);
        Map<TopicPartition, Known> written;
        Map<Result, Long> results;
        try {
            written = offsets.advance(batch);
            results = work.store(batch);
        } catch (RuntimeException ex) {
            throw rolledBack(transaction, ex);
        } catch (Error ex) {
            transactions.rollback(transaction);
            throw ex;
        }
        transactions.commit(transaction);
        offsets.committed(written);
        results.forEach((result, count) -> meter.count(settings.name(), result, count));
    }

    private RuntimeException rolledBack(TransactionStatus transaction, RuntimeException cause) {
        try {
            transactions.rollback(transaction);
        } catch (RuntimeException ex) {
            cause.addSuppressed(ex);
        }
        return cause;
    }

    private static TransactionDefinition definition() {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName("outbox-kafka-inbox");
        return definition;
    }
}
