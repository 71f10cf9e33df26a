package dev.outbox.chaos.process;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Intended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.Fact.Scheduled;
import dev.outbox.chaos.history.Fact.Withdrawn;
import dev.outbox.chaos.history.FactWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import tools.jackson.databind.json.JsonMapper;

/** Publishes events together with business rows, and records the outcome of every transaction. */
public final class Publisher {

    private static final Logger log = LoggerFactory.getLogger(Publisher.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Supplier<OutboxPublisher> outbox;
    private final PlatformTransactionManager transactions;
    private final BusinessTables tables;
    private final FactWriter facts;
    private final AtomicInteger number = new AtomicInteger();

    /**
     * A transaction. Scheduled events do not get the id that they have here.
     *
     * @param events the events, sorted by aggregate
     * @param deadlines what is scheduled or withdrawn instead of published, by event id
     * @param aborts whether it rolls back
     * @param batch whether it publishes the events in one call
     */
    public record Plan(List<IntendedEvent> events, Map<UUID, Deadline> deadlines, boolean aborts, boolean batch) {

        /** Copies the collections. */
        public Plan {
            events = List.copyOf(events);
            deadlines = Map.copyOf(deadlines);
        }
    }

    /** How an event is scheduled, or withdrawn by its key. */
    public record Deadline(
            Act act, Duration delay, @Nullable String key) {}

    /** What a publisher does with a deadline. */
    public enum Act {
        AFTER,
        AT,
        KEEP,
        CANCEL
    }

    /** Creates a publisher; the outbox may be another one for each transaction. */
    public Publisher(
            Supplier<OutboxPublisher> outbox,
            PlatformTransactionManager transactions,
            JdbcTemplate jdbc,
            FactWriter facts) {
        this.outbox = outbox;
        this.transactions = transactions;
        this.tables = new BusinessTables(jdbc);
        this.facts = facts;
    }

    /** Executes a transaction, and returns its outcome. */
    public Commit publish(Plan plan) {
        return publish(plan, () -> {});
    }

    /** Executes a transaction, with an action before its commit, and returns its outcome. */
    Commit publish(Plan plan, Runnable beforeCommit) {
        String transaction = facts.process() + "-" + number.incrementAndGet();
        List<IntendedEvent> atOnce = plan.events().stream()
                .filter((event) -> !plan.deadlines().containsKey(event.eventId()))
                .toList();
        facts.write(new Intended(System.nanoTime(), facts.process(), transaction, atOnce));
        Commit outcome = execute(plan, transaction, beforeCommit);
        facts.write(new Completed(System.nanoTime(), facts.process(), transaction, outcome));
        return outcome;
    }

    private Commit execute(Plan plan, String transaction, Runnable beforeCommit) {
        TransactionStatus status;
        try {
            status = transactions.getTransaction(new DefaultTransactionDefinition());
        } catch (RuntimeException e) {
            return refused(transaction, "did not begin", e);
        }
        try {
            store(plan, transaction, status);
            beforeCommit.run();
        } catch (RuntimeException e) {
            rollBack(status);
            return refused(transaction, "failed before its commit", e);
        }
        if (plan.aborts()) {
            rollBack(status);
            return Commit.ABORTED;
        }
        try {
            transactions.commit(status);
            return Commit.COMMITTED;
        } catch (UnexpectedRollbackException e) {
            return refused(transaction, "was rolled back", e);
        } catch (RuntimeException e) {
            log.info("Outcome of {} is unknown: {}", transaction, e.toString());
            return Commit.UNKNOWN;
        }
    }

    private void store(Plan plan, String transaction, TransactionStatus status) {
        List<IntendedEvent> kept =
                plan.events().stream().filter((event) -> !event.rolledBack()).toList();
        List<IntendedEvent> undone =
                plan.events().stream().filter(IntendedEvent::rolledBack).toList();
        tables.touch(plan.events());
        store(kept, plan, transaction);
        if (!undone.isEmpty()) {
            Object savepoint = status.createSavepoint();
            store(undone, plan, transaction);
            status.rollbackToSavepoint(savepoint);
        }
    }

    private void store(List<IntendedEvent> events, Plan plan, String transaction) {
        publish(
                events.stream()
                        .filter((event) -> !plan.deadlines().containsKey(event.eventId()))
                        .toList(),
                plan,
                transaction);
        for (IntendedEvent event : events) {
            Deadline deadline = plan.deadlines().get(event.eventId());
            if (deadline != null) {
                schedule(event, outboxEvent(event), deadline, transaction);
            }
        }
    }

    /** Which event a key has stood for is certain: other publishers wait for the account, and the mover for the counter. */
    private void schedule(IntendedEvent event, OutboxEvent outboxEvent, Deadline deadline, String transaction) {
        UUID before = deadline.key() == null ? null : tables.scheduled(event, deadline.key());
        boolean cancelled = false;
        UUID stored = null;
        if (deadline.act() == Act.CANCEL) {
            cancelled = outbox.get()
                    .cancel(event.aggregateType(), event.aggregateId(), Objects.requireNonNull(deadline.key()));
        } else {
            long due = tables.clock()
                    + TimeUnit.MILLISECONDS.toMicros(deadline.delay().toMillis());
            EventEnvelope envelope = outbox.get().publish(scheduled(outboxEvent, deadline, due));
            stored = envelope.eventId();
            if (stored.equals(before)) {
                return;
            }
            facts.write(new Scheduled(System.nanoTime(), facts.process(), transaction, event.withId(stored), due));
            tables.note(List.of(envelope), transaction);
        }
        if (before != null && deadline.act() != Act.KEEP && (cancelled || !tables.isMoved(before))) {
            tables.forget(before);
            if (!event.rolledBack()) {
                facts.write(new Withdrawn(System.nanoTime(), facts.process(), transaction, before, stored));
            }
        }
    }

    private static OutboxEvent scheduled(OutboxEvent event, Deadline deadline, long due) {
        OutboxEvent scheduled = deadline.act() == Act.AT
                ? event.deliverAt(Instant.EPOCH.plus(due, ChronoUnit.MICROS))
                : event.deliverAfter(deadline.delay());
        String key = deadline.key();
        scheduled = key == null ? scheduled : scheduled.withKey(key);
        return deadline.act() == Act.KEEP ? scheduled.keepExisting() : scheduled;
    }

    private void publish(List<IntendedEvent> events, Plan plan, String transaction) {
        List<OutboxEvent> outboxEvents = events.stream()
                .map((event) -> outboxEvent(event).withEventId(event.eventId()))
                .toList();
        List<EventEnvelope> stored = plan.batch()
                ? outbox.get().publishAll(outboxEvents)
                : outboxEvents.stream().map(outbox.get()::publish).toList();
        for (EventEnvelope envelope : stored) {
            facts.write(new Published(
                    System.nanoTime(), facts.process(), transaction, envelope.eventId(), envelope.sequence()));
        }
        tables.note(stored, transaction);
    }

    private static OutboxEvent outboxEvent(IntendedEvent event) {
        OutboxEvent result = OutboxEvent.of(event.aggregateType(), event.aggregateId(), JSON.readTree(event.payload()))
                .withEventType(event.eventType());
        for (var header : event.headers().entrySet()) {
            result = result.withHeader(header.getKey(), header.getValue());
        }
        return result;
    }

    private void rollBack(TransactionStatus status) {
        try {
            transactions.rollback(status);
        } catch (RuntimeException e) {
            log.info("Rollback failed: {}", e.toString());
        }
    }

    private static Commit refused(String transaction, String reason, RuntimeException e) {
        log.info("{} {}: {}", transaction, reason, e.toString());
        return Commit.ABORTED;
    }
}
