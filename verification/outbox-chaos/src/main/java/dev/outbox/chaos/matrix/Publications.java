package dev.outbox.chaos.matrix;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.process.BusinessTables;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Publishes events together with a change of business tables, and records the outcome of each transaction. */
final class Publications {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Map<String, String> HEADERS = Map.of("tenant", "t-1", "note", "a \"quoted\" value");

    private final FactWriter facts;
    private final BusinessTables tables;
    private final TransactionTemplate transactions;
    private final Supplier<OutboxPublisher> publisher;
    private int number;
    private int transaction;

    /** An event that is to be published, or if there is a delay, scheduled. A scheduled event gets another id. */
    record Planned(
            UUID eventId,
            String aggregateType,
            String aggregateId,
            Work work,
            @Nullable Duration delay) {

        Planned(UUID eventId, String aggregateType, String aggregateId, Work work) {
            this(eventId, aggregateType, aggregateId, work, null);
        }

        Planned dueAfter(Duration time) {
            return new Planned(eventId, aggregateType, aggregateId, work, time);
        }
    }

    /** Rolls back a transaction on purpose. */
    private static final class Abort extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    Publications(
            FactWriter facts,
            BusinessTables tables,
            TransactionTemplate transactions,
            Supplier<OutboxPublisher> publisher) {
        this.facts = facts;
        this.tables = tables;
        this.transactions = transactions;
        this.publisher = publisher;
    }

    int nextNumber() {
        return number++;
    }

    /** Plans an event of one of four orders. */
    Planned order(Work work) {
        return new Planned(UUID.randomUUID(), "order", "o-" + work.number() % 4, work);
    }

    /** Publishes events in one transaction and commits it. */
    void publish(Planned... events) {
        run(List.of(events), false);
    }

    /** Publishes events in one transaction and rolls it back. */
    void abort(Planned... events) {
        run(List.of(events), true);
    }

    private void run(List<Planned> events, boolean aborts) {
        Trap.awaitNoneHeld();
        List<Planned> sorted = events.stream()
                .sorted(Comparator.comparing(Planned::aggregateId))
                .toList();
        String name = facts.process() + "-" + transaction++;
        facts.write(new Fact.Intended(
                System.nanoTime(),
                facts.process(),
                name,
                sorted.stream()
                        .filter((event) -> event.delay() == null)
                        .map(Publications::intended)
                        .toList()));
        boolean[] stored = {false};
        Commit outcome = Commit.ABORTED;
        try {
            transactions.executeWithoutResult((status) -> {
                tables.touch(sorted.stream().map(Publications::intended).toList());
                sorted.forEach((event) -> store(event, name));
                if (aborts) {
                    throw new Abort();
                }
                stored[0] = true;
            });
            outcome = Commit.COMMITTED;
        } catch (Abort e) {
            // The facts say so.
        } catch (RuntimeException e) {
            outcome = stored[0] ? Commit.UNKNOWN : Commit.ABORTED;
            throw e;
        } finally {
            facts.write(new Fact.Completed(System.nanoTime(), facts.process(), name, outcome));
        }
    }

    private static Fact.IntendedEvent intended(Planned event) {
        return new Fact.IntendedEvent(
                event.eventId(),
                Work.TYPE,
                event.aggregateType(),
                event.aggregateId(),
                JSON.writeValueAsString(event.work()),
                HEADERS);
    }

    private void store(Planned event, String transactionName) {
        OutboxEvent outboxEvent = OutboxEvent.of(event.aggregateType(), event.aggregateId(), event.work())
                .withEventType(Work.TYPE);
        for (Map.Entry<String, String> header : HEADERS.entrySet()) {
            outboxEvent = outboxEvent.withHeader(header.getKey(), header.getValue());
        }
        Duration delay = event.delay();
        EventEnvelope envelope = delay == null
                ? publish(outboxEvent.withEventId(event.eventId()), transactionName)
                : schedule(outboxEvent, event, delay, transactionName);
        tables.note(List.of(envelope), transactionName);
    }

    private EventEnvelope publish(OutboxEvent event, String transactionName) {
        EventEnvelope envelope = publisher.get().publish(event);
        facts.write(new Fact.Published(
                System.nanoTime(), facts.process(), transactionName, envelope.eventId(), envelope.sequence()));
        return envelope;
    }

    private EventEnvelope schedule(OutboxEvent event, Planned planned, Duration delay, String transactionName) {
        long now = tables.clock();
        EventEnvelope envelope = publisher.get().publish(event.deliverAfter(delay));
        facts.write(new Fact.Scheduled(
                System.nanoTime(),
                facts.process(),
                transactionName,
                intended(planned).withId(envelope.eventId()),
                now + delay.toNanos() / 1000));
        return envelope;
    }
}
