package dev.outbox.chaos.matrix;

import dev.outbox.BatchOutcome;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.RecordedHandler;
import dev.outbox.chaos.process.BusinessTables;
import dev.outbox.chaos.process.WorkerHandlers;
import dev.outbox.internal.dispatch.LaterOutcomes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Three handlers that write down what they do: one without a transaction, which may fail, one that deduplicates, and one whose outcomes come
 * later.
 */
final class FactHandlers {

    static final String SHIP = "ship";
    static final String BOOK = "book";
    static final String SEND = "send";

    /** The second is long enough that the claim keeps the lane only. */
    private static final int[] ANSWER_MILLIS = {5, 130};

    private final FactWriter facts;
    private final BusinessTables tables;
    private final Map<UUID, Integer> started = new ConcurrentHashMap<>();

    FactHandlers(FactWriter facts, BusinessTables tables) {
        this.facts = facts;
        this.tables = tables;
    }

    List<HandlerDefinition> definitions() {
        Set<String> types = Set.of(Work.TYPE);
        HandlerDefinition ship = HandlerDefinition.withContext(SHIP, types, Work.class, this::ship);
        HandlerDefinition book = HandlerDefinition.of(BOOK, types, (event) -> tables.book(event.eventId(), BOOK));
        HandlerDefinition send =
                HandlerDefinition.ofBatch(SEND, types, Work.class, this::send).batchSize(1);
        return List.of(RecordedHandler.of(ship, facts), RecordedHandler.of(book.deduplicating(), facts), send);
    }

    /** Notes that the handlers are registered: they must get every event that is intended from now on. */
    void subscribed() {
        RecordedHandler.subscribed(facts, definitions());
    }

    /** Returns the latest attempt of the first handler that has started with an event; zero if none has. */
    int attemptOf(UUID eventId) {
        return started.getOrDefault(eventId, 0);
    }

    private void ship(Work work, EventEnvelope envelope, EventContext context) throws InterruptedException {
        started.put(envelope.eventId(), context.attempt());
        if (work.fails() && context.attempt() == 1) {
            throw new IllegalStateException("fails once");
        }
        if (work.dies()) {
            throw new NonRetryableException("dies");
        }
        WorkerHandlers.hold(Duration.ofMillis(work.millis()));
    }

    private void send(List<Work> works, List<EventEnvelope> events, BatchOutcome outcome, EventContext context) {
        Work work = works.get(0);
        EventEnvelope envelope = events.get(0);
        facts.started(SEND, envelope, context);
        CompletableFuture<Void> answer = CompletableFuture.runAsync(
                () -> answer(work, envelope, context),
                CompletableFuture.delayedExecutor(
                        ANSWER_MILLIS[work.number() % ANSWER_MILLIS.length], TimeUnit.MILLISECONDS));
        ((LaterOutcomes) outcome).later(envelope, answer);
    }

    private void answer(Work work, EventEnvelope envelope, EventContext context) {
        boolean fails = work.dies() || (work.fails() && context.attempt() == 1);
        facts.ended(SEND, envelope, context, fails ? Fact.Outcome.FAILED : Fact.Outcome.SUCCEEDED);
        if (work.dies()) {
            throw new NonRetryableException("dies");
        }
        if (fails) {
            throw new IllegalStateException("fails once");
        }
    }
}
