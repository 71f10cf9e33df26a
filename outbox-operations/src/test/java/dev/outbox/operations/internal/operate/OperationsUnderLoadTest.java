package dev.outbox.operations.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
class OperationsUnderLoadTest {

    private static final int EVENTS = 4000;
    private static final int AGGREGATES = 150;
    private static final DeliverySelection DEAD = DeliverySelection.all().withStatus(DeliveryStatus.DEAD);

    private final long seed = System.nanoTime();

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<TestOutbox> processes = List.of(outbox, outbox.another(), outbox.another());

    /** Dead-letters one event of ten, whose lane continues. */
    private final Recorded mail = Recorded.failing((attempt) -> failsOnce(attempt, 10));

    /** Gives up on one event of twenty, whose lane waits. */
    private final Recorded ledger = Recorded.failing((attempt) -> failsOnce(attempt, 20));

    /** Never manages one event of fifty, whose lane waits. */
    private final Recorded push =
            Recorded.failing((attempt) -> isPoison(attempt.envelope()) ? new NonRetryableException("never") : null);

    private final Set<Long> mayBeLate = ConcurrentHashMap.newKeySet();
    private final AtomicInteger retriedMails = new AtomicInteger();
    private final AtomicInteger retriedEntries = new AtomicInteger();
    private final AtomicInteger skippedPushes = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    @AfterEach
    void endOperators() {
        over.set(true);
    }

    @Test
    @Guarantee(
            value = "G8",
            sentence = "Operations on busy workers lose and double nothing, and only a retry breaks the order.")
    void operationsUnderLoadKeepEventsAndOrder() {
        System.out.println("OperationsUnderLoadTest: seed " + seed);
        processes.forEach(this::start);
        List<CompletableFuture<Boolean>> operators = new ArrayList<>();
        for (String name : List.of("ann", "bob")) {
            operators.add(InBackground.run(() -> operate(name)));
        }
        List<EventEnvelope> events = publish();

        await().atMost(Duration.ofMinutes(2)).until(() -> outbox.published() == EVENTS);
        over.set(true);
        operators.forEach(InBackground::result);
        assertThat(outbox.deliveries()).isZero();

        List<EventEnvelope> poison = events.stream().filter(this::isPoison).toList();
        List<EventEnvelope> fine =
                events.stream().filter((event) -> !isPoison(event)).toList();
        assertThat(poison).isNotEmpty();
        assertHandledOnce(mail, events);
        assertHandledOnce(ledger, events);
        assertHandledOnce(push, fine);
        assertThat(late(ledger)).isEmpty();
        assertThat(late(push)).isEmpty();
        assertThat(late(mail)).isNotEmpty().isSubsetOf(mayBeLate);
        assertThat(skippedPushes.get()).isEqualTo(poison.size());
        assertThat(retriedMails.get()).isEqualTo(failures(mail, events));
        assertThat(retriedEntries.get()).isEqualTo(failures(ledger, events));
        assertThat(outbox.operations()).isEqualTo(retriedMails.get() + retriedEntries.get() + skippedPushes.get());
        assertThat(Operator.of(outbox).operations().operations(OperationSelection.ofHandler("push"), EVENTS))
                .hasSameSizeAs(poison)
                .allMatch((one) -> one.action().equals("SKIP"));
    }

    private void start(TestOutbox process) {
        process
                .handler("mail", "*", mail)
                .handler(HandlerDefinition.of("ledger", Set.of("*"), ledger).onDead(OnDead.BLOCK))
                .handler(HandlerDefinition.of("push", Set.of("*"), push).onDead(OnDead.BLOCK))
                .stream(
                        "default",
                        new PollerSettings(Duration.ofMillis(50), 50, 3, Duration.ofMinutes(1), Duration.ofSeconds(10)))
                .start();
    }

    /** Mails one by one, to know which may be late; entries of the ledger all at once; pushes one by one. */
    private boolean operate(String name) {
        OutboxOperations operations = Operator.of(outbox).operations();
        while (!over.get()) {
            for (Delivery dead : operations.find(DEAD.ofHandler("mail"), 50)) {
                OutboxOperations.Changed one = operations.retry(selection(dead), name, "again");
                retriedMails.addAndGet(one.affected());
                if (one.affected() > 0) {
                    mayBeLate.add(dead.event().id());
                }
            }
            retriedEntries.addAndGet(
                    operations.retry(DEAD.ofHandler("ledger"), name, "again").affected());
            for (Delivery dead : operations.find(DEAD.ofHandler("push"), 50)) {
                skippedPushes.addAndGet(
                        operations.skip(selection(dead), name, "never").affected());
            }
        }
        return true;
    }

    private static DeliverySelection selection(Delivery dead) {
        return DeliverySelection.delivery(dead.event().eventId(), dead.handlerId())
                .withStatus(DeliveryStatus.DEAD);
    }

    private List<EventEnvelope> publish() {
        Random random = new Random(seed);
        return IntStream.range(0, EVENTS)
                .mapToObj((i) -> outbox.publish("a" + random.nextInt(AGGREGATES), new OrderPlaced(i)))
                .toList();
    }

    private Exception failsOnce(Recorded.Attempt attempt, int oneOf) {
        boolean fails = new Random(seed + attempt.envelope().id() * 31).nextInt(oneOf) == 0;
        return fails && attempt.number() == 1 ? new NonRetryableException("down") : null;
    }

    private boolean isPoison(EventEnvelope event) {
        return new Random(seed + event.id() * 17).nextInt(50) == 0;
    }

    private static void assertHandledOnce(Recorded handler, List<EventEnvelope> events) {
        assertThat(handler.handled())
                .extracting(EventEnvelope::id)
                .containsExactlyInAnyOrderElementsOf(
                        events.stream().map(EventEnvelope::id).toList());
    }

    private static int failures(Recorded handler, List<EventEnvelope> events) {
        return events.stream()
                .mapToInt((event) -> handler.attemptsOf(event) - 1)
                .sum();
    }

    /** The events that were handled after later ones of their aggregate. */
    private static Set<Long> late(Recorded handler) {
        Map<String, Long> highest = new ConcurrentHashMap<>();
        Set<Long> late = ConcurrentHashMap.newKeySet();
        handler.handled().forEach((event) -> {
            long before = highest.merge(event.aggregateId(), event.sequence(), Math::max);
            if (before > event.sequence()) {
                late.add(event.id());
            }
        });
        return late;
    }
}
