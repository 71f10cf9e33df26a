package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("full")
class ConcurrentPublishersTest {

    private static final int THREADS = 8;
    private static final int TRANSACTIONS = 10_000;
    private static final int AGGREGATES = 200;

    private final Set<Integer> committed = ConcurrentHashMap.newKeySet();
    private final Set<Integer> rolledBack = ConcurrentHashMap.newKeySet();

    @Test
    @Guarantee(
            value = "G3",
            sentence = "With many concurrent publishers, handlers get each committed event once and in order.")
    void handlesConcurrentlyPublishedEventsOnceInOrder() {
        Recorded handler = Recorded.all();
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.handler("any", "*", handler).start();
            List<CompletableFuture<Boolean>> publishers = IntStream.range(0, THREADS)
                    .mapToObj((thread) -> InBackground.run(() -> publish(outbox, thread)))
                    .toList();
            assertThat(publishers).allMatch(InBackground::result);
            await().atMost(Duration.ofSeconds(60)).until(() -> outbox.unpublished() == 0);

            List<Integer> numbers = handler.handled().stream()
                    .map(ConcurrentPublishersTest::number)
                    .toList();
            assertThat(committed).hasSizeBetween(TRANSACTIONS * 85 / 100, TRANSACTIONS);
            assertThat(rolledBack).hasSizeGreaterThan(TRANSACTIONS * 8 / 100);
            assertThat(numbers).hasSameSizeAs(committed).doesNotHaveDuplicates();
            assertThat(new TreeSet<>(numbers)).isEqualTo(new TreeSet<>(committed));
            assertThat(numbers).doesNotContainAnyElementsOf(rolledBack);
            Map<String, List<Long>> sequences = handler.sequences();
            sequences.forEach((aggregate, handled) -> assertThat(handled)
                    .as("sequences of aggregate %s", aggregate)
                    .isEqualTo(LongStream.rangeClosed(1, handled.size()).boxed().collect(Collectors.toList())));
            assertThat(handler.handled().stream()
                            .collect(Collectors.groupingBy(EventEnvelope::aggregateId))
                            .values())
                    .allSatisfy((ofAggregate) -> assertThat(ofAggregate)
                            .extracting(EventEnvelope::id)
                            .isSorted());
        }
    }

    /** A tenth of the events is rolled back: half of these with their transaction, half with a savepoint. */
    private boolean publish(TestOutbox outbox, int thread) {
        Random random = new Random(thread);
        TransactionTemplate transactions = outbox.transactions();
        TransactionTemplate nested = outbox.transactions();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        for (int i = 0; i < TRANSACTIONS / THREADS; i++) {
            int number = 2 * (thread * TRANSACTIONS + i);
            int choice = random.nextInt(20);
            // One for both events: transactions that lock two aggregates in any order would wait for each other.
            String aggregate = Integer.toString(random.nextInt(AGGREGATES));
            List<Integer> kept = new ArrayList<>();
            transactions.executeWithoutResult((status) -> {
                outbox.publisher().publish("order", aggregate, new OrderPlaced(number));
                if (choice == 0) {
                    status.setRollbackOnly();
                    return;
                }
                kept.add(number);
                if (choice == 1) {
                    nested.executeWithoutResult((inner) -> {
                        outbox.publisher().publish("order", aggregate, new OrderPlaced(number + 1));
                        inner.setRollbackOnly();
                    });
                }
            });
            committed.addAll(kept);
            if (choice == 0) {
                rolledBack.add(number);
            } else if (choice == 1) {
                rolledBack.add(number + 1);
            }
        }
        return true;
    }

    private static int number(EventEnvelope envelope) {
        return Integer.parseInt(envelope.payload().replaceAll("\\D", ""));
    }
}
