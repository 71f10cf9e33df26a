package dev.outbox.operations.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.operations.Replay.Status;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A replay beside live traffic, handled by two processes of concurrency 4, some of it at the second attempt. */
@Tag("full")
class ReplayOrderTest {

    private static final int AGGREGATES = 20;
    private static final int PAST = 60;

    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicBoolean replaying = new AtomicBoolean();
    private int events;

    /** What one handler has handled of one aggregate. */
    private static final class Lane {

        private final List<Long> live = new ArrayList<>();
        private final List<Long> replayed = new ArrayList<>();
        private final Map<Long, Boolean> failed = new ConcurrentHashMap<>();
        private final AtomicBoolean busy = new AtomicBoolean();
    }

    @Test
    @Guarantee(
            value = "G3",
            sentence = "Replayed and live events stay in order, one at a time per handler and aggregate.")
    void keepsReplayAndLiveEventsInOrder() {
        try (TestOutbox first = instance(TestOutbox.create());
                TestOutbox second = instance(first.another())) {
            first.start();
            second.start();
            for (int number = 0; number < PAST; number++) {
                publish(first);
            }
            first.awaitPublished(AGGREGATES * PAST);
            replaying.set(true);
            Replays replays = Operator.of(first).replays();
            CompletableFuture<Integer> live = CompletableFuture.supplyAsync(() -> publishWhileReplaying(second));
            long id = replays.start(ReplayRequest.of("mail").rate(400), "ann", "to see");

            await().atMost(Duration.ofSeconds(60))
                    .until(() -> replays.find(id).orElseThrow().status() == Status.DONE);
            replaying.set(false);
            events = PAST + live.join();
            await().atMost(Duration.ofSeconds(30)).until(() -> first.unpublished() == 0);
            long fed = replays.find(id).orElseThrow().progress().fed();
            assertThat(fed).isGreaterThanOrEqualTo(AGGREGATES * PAST);
            assertThat(replayedOf("mail")).isEqualTo(fed);
            assertThat(first.deliveries()).isZero();
        }

        assertThat(events).isGreaterThan(2 * PAST);
        assertThat(overlaps).hasValue(0);
        assertThat(replayedOf("audit")).isZero();
        assertThat(lanes).hasSize(2 * AGGREGATES).allSatisfy((name, lane) -> {
            assertThat(lane.live)
                    .as(name)
                    .isEqualTo(LongStream.rangeClosed(1, events).boxed().toList());
            assertThat(lane.replayed)
                    .as(name)
                    .isEqualTo(LongStream.rangeClosed(1, lane.replayed.size())
                            .boxed()
                            .toList());
        });
    }

    private long replayedOf(String handlerId) {
        return lanes.entrySet().stream()
                .filter((entry) -> entry.getKey().startsWith(handlerId))
                .mapToLong((entry) -> entry.getValue().replayed.size())
                .sum();
    }

    private TestOutbox instance(TestOutbox outbox) {
        return outbox
                .handler("mail", "*", (envelope) -> handle("mail", envelope))
                .handler("audit", "*", (envelope) -> handle("audit", envelope))
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMillis(50))), 100))
                .stream(
                        "default",
                        new PollerSettings(
                                Duration.ofMillis(100), 20, 4, Duration.ofSeconds(30), Duration.ofSeconds(10)));
    }

    private void handle(String handlerId, EventEnvelope envelope) throws IOException {
        Lane lane = lanes.computeIfAbsent(handlerId + "/" + envelope.aggregateId(), (name) -> new Lane());
        if (!lane.busy.compareAndSet(false, true)) {
            overlaps.incrementAndGet();
        }
        try {
            long seq = envelope.sequence();
            boolean unlucky = replaying.get() && new SplittableRandom(seq * 31 + lane.hashCode()).nextInt(50) == 0;
            if (unlucky && lane.failed.put(seq, true) == null) {
                throw new IOException("on purpose");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            (envelope.replayed() ? lane.replayed : lane.live).add(seq);
        } finally {
            lane.busy.set(false);
        }
    }

    private int publishWhileReplaying(TestOutbox outbox) {
        int rounds = 0;
        while (replaying.get() || rounds <= PAST) {
            publish(outbox);
            rounds++;
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        return rounds;
    }

    /** One event of each aggregate. */
    private static void publish(TestOutbox outbox) {
        for (int from = 0; from < AGGREGATES; from += 5) {
            int first = from;
            outbox.transactions().executeWithoutResult((status) -> {
                for (int aggregate = first; aggregate < first + 5; aggregate++) {
                    outbox.publisher().publish("order", "" + aggregate, new OrderPlaced(aggregate));
                }
            });
        }
    }
}
