package dev.outbox.chaos.matrix;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.RecordedHandler;
import dev.outbox.chaos.process.BusinessTables;
import dev.outbox.chaos.process.WorkerHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

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
        HandlerDefinition ship = HandlerDefinition.withContext(SHIP, types, Work.class, this::ship);
        HandlerDefinition book = HandlerDefinition.of(BOOK, types, (event) -> tables.book(event.eventId(), BOOK));
        return List.of(RecordedHandler.of(ship, facts), RecordedHandler.of(book.deduplicating(), facts));
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
}
