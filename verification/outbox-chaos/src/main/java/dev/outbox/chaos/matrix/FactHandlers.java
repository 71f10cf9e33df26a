package dev.outbox.chaos.matrix;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.RecordedHandler;
import dev.outbox.chaos.process.BusinessTables;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Two handlers that write down what they do: one without a transaction, which may fail, and one that deduplicates. */
final class FactHandlers {

    static final String SHIP = "ship";
    static final String BOOK = "book";

    private final FactWriter facts;
    private final BusinessTables tables;
    private final Map<UUID, Integer> started = new ConcurrentHashMap<>();

    FactHandlers(FactWriter facts, BusinessTables tables) {
        this.facts = facts;
        this.tables = tables;
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
        RecordedHandler.subscribed(facts, definitions());
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
        record(BOOK, envelope, context, () -> tables.book(envelope.eventId(), BOOK));
    }

    /** Body of a handler. */
    @FunctionalInterface
    private interface Body {
        void run() throws Exception;
    }

    private void record(String handler, EventEnvelope envelope, EventContext context, Body body) throws Exception {
        facts.started(handler, envelope, context);
        Outcome outcome = Outcome.FAILED;
        try {
            body.run();
            outcome = Outcome.SUCCEEDED;
        } catch (InterruptedException e) {
            outcome = Outcome.INTERRUPTED;
            throw e;
        } finally {
            facts.ended(handler, envelope, context, outcome);
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
