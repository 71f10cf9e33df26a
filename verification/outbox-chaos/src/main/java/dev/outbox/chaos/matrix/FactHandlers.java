package dev.outbox.chaos.matrix;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.FactWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two handlers that write down what they do: one without a transaction, which may fail, and one that deduplicates. */
final class FactHandlers {

    static final String SHIP = "ship";
    static final String BOOK = "book";

    private final FactWriter facts;
    private final JdbcClient sql;
    private final Map<UUID, Integer> started = new ConcurrentHashMap<>();

    FactHandlers(FactWriter facts, DataSource dataSource) {
        this.facts = facts;
        this.sql = JdbcClient.create(dataSource);
    }

    List<HandlerDefinition> definitions() {
        Set<String> types = Set.of(Work.TYPE);
        return List.of(
                HandlerDefinition.withContext(SHIP, types, Work.class, this::ship),
                HandlerDefinition.withContext(BOOK, types, Work.class, this::book)
                        .deduplicating());
    }

    /** Notes that the handlers are registered: they must get every event that is intended from now on. */
    void subscribed() {
        for (HandlerDefinition handler : definitions()) {
            facts.write(new Fact.Subscribed(
                    System.nanoTime(),
                    facts.process(),
                    handler.id(),
                    handler.eventTypes(),
                    Set.of(),
                    handler.deduplicates()));
        }
    }

    /** Returns the latest attempt of the first handler that has started with an event; zero if none has. */
    int attemptOf(UUID eventId) {
        return started.getOrDefault(eventId, 0);
    }

    private void ship(Work work, EventEnvelope envelope, EventContext context) throws Exception {
        record(SHIP, envelope, context, () -> {
            started.put(envelope.eventId(), context.attempt());
            if (work.fails() && context.attempt() == 1) {
                throw new IllegalStateException("fails once");
            }
            if (work.dies()) {
                throw new NonRetryableException("dies");
            }
            pause(Duration.ofMillis(work.millis()));
        });
    }

    private void book(Work work, EventEnvelope envelope, EventContext context) throws Exception {
        record(
                BOOK,
                envelope,
                context,
                () -> sql.sql("INSERT INTO chaos.booking (event_id, handler) VALUES (?, ?)")
                        .params(envelope.eventId(), BOOK)
                        .update());
    }

    /** Body of a handler. */
    @FunctionalInterface
    private interface Body {
        void run() throws Exception;
    }

    private void record(String handler, EventEnvelope envelope, EventContext context, Body body) throws Exception {
        facts.write(new Fact.Started(
                System.nanoTime(),
                facts.process(),
                handler,
                envelope.eventId(),
                envelope.aggregateType(),
                envelope.aggregateId(),
                envelope.sequence(),
                context.attempt(),
                envelope.payload(),
                envelope.headers(),
                envelope.replayed()));
        Fact.Outcome outcome = Fact.Outcome.FAILED;
        try {
            body.run();
            outcome = Fact.Outcome.SUCCEEDED;
        } catch (InterruptedException e) {
            outcome = Fact.Outcome.INTERRUPTED;
            throw e;
        } finally {
            facts.write(new Fact.Ended(
                    System.nanoTime(), facts.process(), handler, envelope.eventId(), context.attempt(), outcome));
        }
    }

    private static void pause(Duration duration) throws InterruptedException {
        long deadline = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < deadline) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the process closes");
            }
            LockSupport.parkNanos(deadline - System.nanoTime());
        }
    }
}
