package dev.outbox.sample.operations;

import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Origin;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.SystemEvent.OperationPerformed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Publishes each operation of an operator once, within seconds of its commit and in a transaction of its own. A process that dies in between
 * leaves the operation to the next run, in any process.
 */
@Component
final class OperationEvents {

    /** Operations that one transaction publishes. */
    private static final int MOST = 1000;

    private static final int PAGE = 100;

    /** Operations commit in another order than that of their ids, but within seconds. */
    private static final Duration LATE = Duration.ofMinutes(10);

    /** One process publishes at a time; the others look again later. */
    private static final String LOCK = """
            SELECT up_to, beyond
              FROM control.announced_operations
               FOR UPDATE SKIP LOCKED
            """;

    private static final String ADVANCE = """
            UPDATE control.announced_operations
               SET up_to = :upTo,
                   beyond = ARRAY(SELECT id FROM unnest(beyond || ARRAY[:announced]::bigint[]) id WHERE id > :upTo)
            """;

    private final OutboxOperations outbox;
    private final JdbcClient jdbc;
    private final TransactionOperations transaction;
    private final EventBus bus;

    OperationEvents(OutboxOperations outbox, JdbcClient jdbc, TransactionOperations transaction, EventBus bus) {
        this.outbox = outbox;
        this.jdbc = jdbc;
        this.transaction = transaction;
        this.bus = bus;
    }

    @Scheduled(fixedDelayString = "${operations.announce-interval}")
    void runOnce() {
        transaction.executeWithoutResult((status) -> jdbc.sql(LOCK)
                .query((row, number) -> new Progress(row.getLong("up_to"), Set.of((Long[])
                        row.getArray("beyond").getArray())))
                .optional()
                .ifPresent(this::announce));
    }

    private void announce(Progress progress) {
        Instant settled = Instant.now().minus(LATE);
        long upTo = progress.upTo();
        List<Long> announced = new ArrayList<>();
        for (Operation operation : after(upTo)) {
            if (!progress.beyond().contains(operation.id())) {
                if (announced.size() == MOST) {
                    break;
                }
                publish(operation);
                announced.add(operation.id());
            }
            if (operation.performedAt().isBefore(settled)) {
                upTo = operation.id();
            }
        }
        if (!announced.isEmpty() || upTo > progress.upTo()) {
            jdbc.sql(ADVANCE).param("upTo", upTo).param("announced", announced).update();
        }
    }

    /** Finds the operations after an id, the oldest first. */
    private Deque<Operation> after(long id) {
        Deque<Operation> oldestFirst = new ArrayDeque<>();
        List<Operation> page = page(null);
        while (!page.isEmpty()) {
            page.stream().filter((operation) -> operation.id() > id).forEach(oldestFirst::addFirst);
            long oldest = page.get(page.size() - 1).id();
            page = oldest > id ? page(oldest) : List.of();
        }
        return oldestFirst;
    }

    private List<Operation> page(@Nullable Long olderThan) {
        return outbox.operations(new OperationSelection(null, null, null, null, null, olderThan, null), PAGE);
    }

    private void publish(Operation operation) {
        Operation.Subject subject = operation.subject();
        String aggregate = Optional.ofNullable(subject.handlerId())
                .or(() -> Optional.ofNullable(subject.stream()))
                .orElse("outbox");
        OperationPerformed event = new OperationPerformed(
                operation.id(),
                operation.action(),
                operation.performedBy(),
                operation.reason(),
                subject.stream(),
                subject.handlerId(),
                subject.eventId());
        bus.publish(new Message(Streams.SYSTEM_EVENT, "operation", aggregate, event, Origin.OPERATOR));
    }

    /**
     * Operations whose event is published.
     *
     * @param upTo the id up to which all are
     * @param beyond those with a later id, among which others may still commit
     */
    private record Progress(long upTo, Set<Long> beyond) {}
}
