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
import dev.outbox.chaos.process.Traffic.Act;
import dev.outbox.chaos.process.Traffic.Deadline;
import dev.outbox.chaos.process.Traffic.Plan;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** Publishes random events together with business rows, and records the outcome of every transaction. */
final class Publisher {

    private static final Logger log = LoggerFactory.getLogger(Publisher.class);

    private static final Duration IDLE = Duration.ofMillis(10);

    private final OutboxPublisher outbox;
    private final PlatformTransactionManager transactions;
    private final BusinessTables tables;
    private final FactWriter facts;
    private final String name;
    private final Traffic traffic;
    private volatile long rate;
    private volatile boolean stopped;
    private int number;

    Publisher(
            OutboxPublisher outbox,
            PlatformTransactionManager transactions,
            JdbcTemplate jdbc,
            FactWriter facts,
            String name,
            Traffic traffic) {
        this.outbox = outbox;
        this.transactions = transactions;
        this.tables = new BusinessTables(jdbc);
        this.facts = facts;
        this.name = name;
        this.traffic = traffic;
    }

    void atRate(long transactionsPerSecond) {
        rate = transactionsPerSecond;
    }

    void stop() {
        stopped = true;
    }

    /** Publishes until it is stopped. */
    void run() {
        long next = System.nanoTime();
        while (!stopped) {
            long now = System.nanoTime();
            if (rate == 0 || now < next) {
                LockSupport.parkNanos(rate == 0 ? IDLE.toNanos() : next - now);
                continue;
            }
            next = Math.max(next, now - Duration.ofSeconds(1).toNanos())
                    + Duration.ofSeconds(1).toNanos() / rate;
            publishNext();
        }
    }

    /** Publishes one transaction. */
    void publishNext() {
        publish(traffic.next(), () -> {});
    }

    /** Publishes one event, and commits some time later. */
    void publishSlowly(Duration time) {
        publish(traffic.single(name + "-" + number), () -> LockSupport.parkNanos(time.toNanos()));
    }

    private void publish(Plan plan, Runnable beforeCommit) {
        String transaction = name + "-" + ++number;
        List<IntendedEvent> atOnce = plan.events().stream()
                .filter((event) -> !plan.deadlines().containsKey(event.eventId()))
                .toList();
        facts.write(new Intended(System.nanoTime(), facts.process(), transaction, atOnce));
        Commit outcome = execute(plan, transaction, beforeCommit);
        facts.write(new Completed(System.nanoTime(), facts.process(), transaction, outcome));
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
                schedule(event, outboxEvent(event, plan), deadline, transaction);
            }
        }
    }

    /** Which event a key has stood for is certain: other publishers wait for the account, and the mover for the counter. */
    private void schedule(IntendedEvent event, OutboxEvent outboxEvent, Deadline deadline, String transaction) {
        UUID before = tables.scheduled(event, deadline.key());
        boolean cancelled = false;
        UUID stored = null;
        if (deadline.act() == Act.CANCEL) {
            cancelled =
                    outbox.cancel(event.aggregateType(), event.aggregateId(), Objects.requireNonNull(deadline.key()));
        } else {
            long due = tables.clock()
                    + TimeUnit.MILLISECONDS.toMicros(deadline.delay().toMillis());
            EventEnvelope envelope = outbox.publish(scheduled(outboxEvent, deadline, due));
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
                .map((event) -> outboxEvent(event, plan).withEventId(event.eventId()))
                .toList();
        List<EventEnvelope> stored = plan.batch()
                ? outbox.publishAll(outboxEvents)
                : outboxEvents.stream().map(outbox::publish).toList();
        for (EventEnvelope envelope : stored) {
            facts.write(new Published(
                    System.nanoTime(), facts.process(), transaction, envelope.eventId(), envelope.sequence()));
        }
        tables.note(stored, transaction);
    }

    private static OutboxEvent outboxEvent(IntendedEvent event, Plan plan) {
        OutboxEvent result = OutboxEvent.of(
                        event.aggregateType(),
                        event.aggregateId(),
                        Objects.requireNonNull(plan.payloads().get(event.eventId())))
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
