package dev.outbox.internal.runtime;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random publishes, failures and slow handlers; three instances of concurrency 4, one of which restarts. Runs for
 * {@code outbox.property.seconds} per test, and repeats what {@code outbox.property.seed} did as far as threads allow.
 */
@Tag("full")
class OrderPropertyTest {

    private static final int AGGREGATES = 200;
    private static final List<String> HANDLERS = List.of("billing", "mail", "search");
    private static final int PUBLISHERS = 2;
    private static final int EVENTS_PER_SECOND = 600;
    private static final double FAILING = 0.05;
    private static final double SLOW = 0.01;

    private final long seed = Long.getLong("outbox.property.seed", new SplittableRandom().nextLong());
    private final Duration duration = Duration.ofSeconds(Integer.getInteger("outbox.property.seconds", 8));
    private final Map<String, List<Long>> successes = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
    private final AtomicLongArray published = new AtomicLongArray(AGGREGATES);
    private final AtomicInteger leasesLost = new AtomicInteger();

    @Test
    @Guarantee(
            value = "G3",
            sentence = "Random runs with three processes, one of them restarting: each event once, in order.")
    void everyHandlerGetsEveryEventOnceInOrder() {
        run(false);

        assertThat(leasesLost).hasValue(0);
        forEachLane((lane, handled) -> assertThat(handled).as(lane).isEqualTo(upTo(publishedOf(lane))));
    }

    @Test
    @Guarantee(value = "G3", sentence = "Random runs with lost leases: events are repeated, but stay in order.")
    void lostLeasesRepeatEventsInOrder() {
        run(true);

        assertThat(leasesLost).hasPositiveValue();
        forEachLane((lane, handled) ->
                assertThat(handled.stream().distinct()).as(lane).isEqualTo(upTo(publishedOf(lane))));
    }

    private void run(boolean takingLeases) {
        System.out.println("OrderPropertyTest: -Doutbox.property.seed=" + seed + " -Doutbox.property.seconds="
                + duration.toSeconds());
        try (TestOutbox first = instance(TestOutbox.create());
                TestOutbox second = instance(first.another());
                TestOutbox third = instance(first.another())) {
            Stream.of(first, second, third).forEach(TestOutbox::start);
            CountDownLatch halfTime = new CountDownLatch(1);
            List<CompletableFuture<Boolean>> work = new ArrayList<>(IntStream.range(0, PUBLISHERS)
                    .mapToObj((publisher) -> InBackground.run(() -> publish(first, publisher, halfTime)))
                    .toList());
            if (takingLeases) {
                work.add(InBackground.run(() -> takeLeases(first)));
            }
            awaitLatch(halfTime);
            second.runtime().close();
            try (TestOutbox restarted = instance(first.another())) {
                restarted.start();
                work.forEach(InBackground::result);
                await().atMost(Duration.ofMinutes(1))
                        .pollInterval(Duration.ofMillis(200))
                        .until(() -> first.unpublished() == 0);
            }
            long total = LongStream.range(0, AGGREGATES)
                    .map((i) -> published.get((int) i))
                    .sum();
            System.out.println("OrderPropertyTest: " + total + " events, " + leasesLost + " leases lost");
            assertThat(total).isGreaterThan(1000);
            assertThat(first.published()).isEqualTo(total);
        }
    }

    private TestOutbox instance(TestOutbox outbox) {
        HANDLERS.forEach((id) -> outbox.handler(id, "*", (envelope) -> handle(id, envelope)));
        return outbox
                .retry(new RetryPolicy(
                        new Backoff.Delays(List.of(Duration.ZERO, Duration.ofMillis(10), Duration.ofMillis(100))),
                        1000))
                .onLostLease(leasesLost::incrementAndGet)
                .stream(
                        "default",
                        new PollerSettings(
                                Duration.ofMillis(100), 20, 4, Duration.ofSeconds(10), Duration.ofSeconds(10)));
    }

    private void handle(String handlerId, EventEnvelope envelope) throws IOException {
        int attempt = attempts.computeIfAbsent(handlerId + envelope.id(), (key) -> new AtomicInteger())
                .incrementAndGet();
        SplittableRandom random = new SplittableRandom(Objects.hash(seed, handlerId, envelope.id(), attempt));
        if (random.nextDouble() < SLOW) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(100)));
        }
        if (random.nextDouble() < FAILING) {
            throw new IOException("at random");
        }
        List<Long> lane =
                successes.computeIfAbsent(handlerId + "/" + envelope.aggregateId(), (key) -> new ArrayList<>());
        synchronized (lane) {
            lane.add(envelope.sequence());
        }
    }

    private boolean publish(TestOutbox outbox, int publisher, CountDownLatch halfTime) {
        SplittableRandom random = new SplittableRandom(seed + publisher);
        long begun = System.nanoTime();
        long count = 0;
        while (System.nanoTime() - begun < duration.toNanos()) {
            if (System.nanoTime() - begun > duration.toNanos() / 2) {
                halfTime.countDown();
            }
            long ahead = count * PUBLISHERS * TimeUnit.SECONDS.toNanos(1) / EVENTS_PER_SECOND;
            LockSupport.parkNanos(begun + ahead - System.nanoTime());
            // Sorted, so that transactions with several aggregates do not wait for each other in a circle.
            int[] aggregates = IntStream.range(0, 1 + random.nextInt(5))
                    .map((i) -> random.nextInt(AGGREGATES))
                    .sorted()
                    .toArray();
            outbox.transactions().executeWithoutResult((status) -> {
                for (int aggregate : aggregates) {
                    outbox.publisher().publish("order", "" + aggregate, new OrderPlaced(aggregate));
                }
            });
            for (int aggregate : aggregates) {
                published.incrementAndGet(aggregate);
            }
            count += aggregates.length;
        }
        return true;
    }

    /** As if workers had stood still: their batches and retries go to others while they go on. */
    private boolean takeLeases(TestOutbox outbox) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < duration.toNanos()) {
            outbox.update("UPDATE events.outbox_claim SET locked_until = now() - interval '1 second'"
                    + " WHERE id = (SELECT min(id) FROM events.outbox_claim)");
            outbox.update("UPDATE events.outbox_claim SET locked_until = now() - interval '1 second'"
                    + " WHERE id = (SELECT max(claim_id) FROM events.outbox_lane)");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
        }
        return true;
    }

    private void forEachLane(BiConsumer<String, List<Long>> check) {
        Map<String, List<Long>> lanes = new TreeMap<>(successes);
        for (String handler : HANDLERS) {
            for (int aggregate = 0; aggregate < AGGREGATES; aggregate++) {
                lanes.putIfAbsent(handler + "/" + aggregate, List.of());
            }
        }
        lanes.forEach(check);
    }

    private long publishedOf(String lane) {
        return published.get(Integer.parseInt(lane.substring(lane.indexOf('/') + 1)));
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }
}
