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

/** Publishes each operation of an operator once, whichever process announces it. */
@Component
final class OperationEvents {

    private static final int PAGE = 100;

    /** Operations commit in another order than that of their ids, so recent ones are looked at again. */
    private static final Duration RECENT = Duration.ofMinutes(10);

    private static final String ANNOUNCE = """
            INSERT INTO control.announced_operations (operation_id)
            VALUES (:id)
            ON CONFLICT DO NOTHING
            """;

    private static final String ANNOUNCED = """
            SELECT operation_id
              FROM control.announced_operations
             WHERE operation_id IN (:ids)
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
        Deque<Operation> oldestFirst = new ArrayDeque<>();
        latest().forEach(oldestFirst::addFirst);
        oldestFirst.forEach((operation) -> transaction.executeWithoutResult((status) -> announce(operation)));
    }

    /** Finds the operations to announce: goes back, page by page, to one that is announced and not recent. */
    private List<Operation> latest() {
        Instant recent = Instant.now().minus(RECENT);
        List<Operation> found = new ArrayList<>();
        List<Operation> page = page(null);
        while (!page.isEmpty()) {
            Set<Long> announced = announced(page);
            page.stream()
                    .filter((operation) -> !announced.contains(operation.id()))
                    .forEach(found::add);
            Operation oldest = page.get(page.size() - 1);
            boolean reached = oldest.performedAt().isBefore(recent) && announced.contains(oldest.id());
            page = reached ? List.of() : page(oldest.id());
        }
        return found;
    }

    private List<Operation> page(@Nullable Long olderThan) {
        return outbox.operations(new OperationSelection(null, null, null, null, null, olderThan), PAGE);
    }

    private Set<Long> announced(List<Operation> page) {
        return jdbc.sql(ANNOUNCED)
                .param("ids", page.stream().map(Operation::id).toList())
                .query(Long.class)
                .set();
    }

    private void announce(Operation operation) {
        if (jdbc.sql(ANNOUNCE).param("id", operation.id()).update() == 0) {
            return;
        }
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
}
