package dev.outbox.operations.internal.erase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.retention.RetentionSteps;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.operations.internal.operate.JdbcOperations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Erasures while publishers, pollers, retries, replays and retention work on the same events. */
class EraseRacesTest {

    private static final int CUSTOMERS = 12;
    private static final int EVENTS = 40;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox other = outbox.another();
    private final OutboxOperations operations = new JdbcOperations(
            outbox.database().as("outbox_eraser"),
            OutboxSchema.DEFAULT,
            OutboxSchema.DEFAULT_ARCHIVE,
            OutboxListener.NONE,
            (stream) -> {});

    @Test
    void noHandlerReceivesErasedContentAndNoEventIsLost() throws Exception {
        Set<Long> empty = ConcurrentHashMap.newKeySet();
        Recorded mail = Recorded.failing((attempt) -> {
            if (attempt.envelope().payload().equals("{}")) {
                empty.add(attempt.envelope().id());
            }
            return attempt.envelope().sequence() % 7 == attempt.number() ? new Exception("later") : null;
        });
        for (TestOutbox instance : List.of(outbox, other)) {
            instance.handler("mail", "*", mail)
                    .retry(TestOutbox.AT_ONCE)
                    .poller(Duration.ofMillis(20), 5, Duration.ofMinutes(1))
                    .start();
        }
        List<CompletableFuture<?>> publishers = new ArrayList<>();
        for (int number = 1; number <= CUSTOMERS; number++) {
            String id = "c" + number;
            publishers.add(InBackground.run(() -> outbox.publishOrders(id, EVENTS)));
        }
        CompletableFuture<?> replays = InBackground.run(() -> {
            for (int round = 0; round < 5; round++) {
                Operator.of(outbox).replays().start(ReplayRequest.of("mail").rate(10_000), "bob", "race");
                RetentionSteps.archive(outbox);
            }
            return true;
        });

        while (!publishers.stream().allMatch(CompletableFuture::isDone) || !replays.isDone()) {
            eraseAll();
        }
        publishers.forEach(InBackground::result);
        InBackground.result(replays);
        await().until(() -> eraseAll() == 0 && outbox.deliveries() == 0);

        assertThat(empty).isEmpty();
        assertThat(outbox.unpublished()).isZero();
        assertThat(outbox.count("events.outbox_published WHERE erased_at IS NOT NULL")
                        + outbox.count("audit.events WHERE erased_at IS NOT NULL"))
                .isEqualTo(CUSTOMERS * EVENTS);
        assertThat(outbox.count("events.outbox_published WHERE payload <> '{}'")
                        + outbox.count("audit.events WHERE payload <> '{}'"))
                .isZero();
        Set<UUID> withdrawn = eventsWith("WITHDRAW");
        Set<UUID> handled = new HashSet<>(
                mail.handled().stream().map(EventEnvelope::eventId).toList());
        assertThat(handled).isNotEmpty().doesNotContainAnyElementsOf(withdrawn);
        handled.addAll(withdrawn);
        handled.addAll(eventsWith("SKIP"));
        assertThat(handled).hasSize(CUSTOMERS * EVENTS);
        assertThat(firstDeliveries(mail))
                .allSatisfy((sequences) -> assertThat(sequences).isSorted());
    }

    private long eraseAll() {
        return IntStream.rangeClosed(1, CUSTOMERS)
                .mapToLong((number) -> operations
                        .erase(Erasure.ofAggregate("order", "c" + number).withoutDelivery(), "ann", "race")
                        .remaining()
                        .value())
                .sum();
    }

    private Set<UUID> eventsWith(String action) {
        return new HashSet<>(outbox.sql()
                .sql("SELECT event_id FROM events.outbox_operation WHERE action = ?")
                .param(action)
                .query(UUID.class)
                .list());
    }

    /** The sequences of each customer in the order in which they were handled, without replays. */
    private static List<List<Long>> firstDeliveries(Recorded mail) {
        return IntStream.rangeClosed(1, CUSTOMERS)
                .mapToObj((number) -> mail.handled().stream()
                        .filter((event) -> event.aggregateId().equals("c" + number) && !event.replayed())
                        .map(EventEnvelope::sequence)
                        .toList())
                .toList();
    }
}
