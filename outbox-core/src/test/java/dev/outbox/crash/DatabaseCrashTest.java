package dev.outbox.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.CrashingPostgres;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * PostgreSQL crashes at random moments under load: publishers, a worker that polls every 20 ms and one that polls every 2 s, two
 * handlers that sometimes fail. Crashes {@code crash.count} times; {@code crash.seed} repeats the moments as far as threads allow.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGQUIT")
@Tag("full")
class DatabaseCrashTest {

    private static final int AGGREGATES = 12;
    private static final int PUBLISHERS = 4;
    private static final int CRASHES_PER_CHECK = 5;
    private static final double FAILING = 0.05;
    private static final double SLOW = 0.005;

    /** A call that the crash catches runs beside that of the new owner. */
    private static final Duration OUTLASTING_RECOVERY = Duration.ofMillis(1500);

    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration LONGEST_POLL = Duration.ofSeconds(2);

    /** Handling and retrying what has piled up, on a machine that other builds use too. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private final int count = Integer.getInteger("crash.count", 5);
    private final long seed = Long.getLong("crash.seed", new SplittableRandom().nextLong());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final Journal journal = new Journal();
    private final ReentrantReadWriteLock publishing = new ReentrantReadWriteLock(true);
    private final List<Duration> delays = new ArrayList<>();
    private volatile boolean finished;

    @Test
    @Guarantee(value = "G3", sentence = "Order holds through PostgreSQL crashes at random moments.")
    void keepsOrderThroughDatabaseCrashes() throws InterruptedException {
        System.out.println("DatabaseCrashTest: -Dcrash.count=" + count + " -Dcrash.seed=" + seed);
        try (CrashingPostgres server = CrashingPostgres.create();
                TestOutbox fast = TestOutbox.create(server.postgres());
                TestOutbox slow = fast.another();
                TestOutbox source = fast.another()) {
            start("fast", fast, Duration.ofMillis(20));
            start("slow", slow, LONGEST_POLL);
            List<Thread> publishers = IntStream.range(0, PUBLISHERS)
                    .mapToObj((number) -> publisher(source.withoutPolling(), random.split()))
                    .toList();
            publishers.forEach(Thread::start);
            for (int crash = 1; crash <= count; crash++) {
                LockSupport.parkNanos(Duration.ofMillis(random.nextInt(20, 800)).toNanos());
                if (random.nextBoolean()) {
                    crashInSilence(server);
                } else {
                    crash(server);
                }
                if (crash % CRASHES_PER_CHECK == 0 || crash == count) {
                    publishing.writeLock().lock();
                    try {
                        awaitRecovery(fast);
                        check(fast);
                    } finally {
                        publishing.writeLock().unlock();
                    }
                }
            }
            finished = true;
            for (Thread publisher : publishers) {
                publisher.join();
            }
        } finally {
            finished = true;
        }
        System.out.println(
                "DatabaseCrashTest: " + journal.size() + " calls, " + journal.caught() + " caught in " + count
                        + " crashes, " + journal.overlapping() + " of them beside a new owner's; recovered within "
                        + delays.stream().max(Duration::compareTo).orElseThrow().toMillis() + " ms at most");
    }

    private void start(String worker, TestOutbox outbox, Duration interval) {
        outbox
                .handler("billing", "*", (envelope) -> handle(worker, "billing", envelope))
                .handler("mail", "*", (envelope) -> handle(worker, "mail", envelope))
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMillis(50))), 1000))
                .stream("default", new PollerSettings(interval, 20, 4, LEASE, Duration.ofSeconds(10)))
                .start();
    }

    private void handle(String worker, String handlerId, EventEnvelope envelope) throws IOException {
        ThreadLocalRandom chance = ThreadLocalRandom.current();
        Journal.Call call = journal.begin(worker, handlerId, envelope);
        try {
            LockSupport.parkNanos(
                    chance.nextDouble() < SLOW ? OUTLASTING_RECOVERY.toNanos() : chance.nextLong(10_000_000));
            if (chance.nextDouble() < FAILING) {
                throw new IOException("no route");
            }
            call.succeeded();
        } finally {
            call.ended();
        }
    }

    /** Publishes until the test is over; whether an interrupted transaction has committed is looked up later. */
    private Thread publisher(TestOutbox outbox, SplittableRandom random) {
        return new Thread(
                () -> {
                    while (!finished) {
                        publishing.readLock().lock();
                        try {
                            outbox.publish("" + random.nextInt(AGGREGATES), new OrderPlaced(1));
                        } catch (DataAccessException | TransactionException ex) {
                            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
                        } finally {
                            publishing.readLock().unlock();
                        }
                        LockSupport.parkNanos(random.nextLong(30_000_000));
                    }
                },
                "publisher");
    }

    /** Nothing is published for a moment, so no synchronous commit saves the settlements before it. */
    private void crashInSilence(CrashingPostgres server) {
        publishing.writeLock().lock();
        try {
            LockSupport.parkNanos(Duration.ofMillis(random.nextInt(200)).toNanos());
            crash(server);
        } finally {
            publishing.writeLock().unlock();
        }
    }

    private void crash(CrashingPostgres server) {
        long from = System.nanoTime();
        if (random.nextBoolean()) {
            server.crash();
            server.start();
        } else {
            server.crashBackend();
        }
        journal.crashed(from, System.nanoTime());
    }

    private void awaitRecovery(TestOutbox outbox) {
        long from = System.nanoTime();
        await().atMost(LEASE.plus(LONGEST_POLL.multipliedBy(2)).plus(SLACK))
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(outbox.sql()
                                .sql("SELECT status, count(*) FROM events.outbox_unpublished GROUP BY status")
                                .query()
                                .listOfRows())
                        .as("unsettled events")
                        .isEmpty());
        delays.add(Duration.ofNanos(System.nanoTime() - from));
    }

    private void check(TestOutbox outbox) {
        assertThat(journal.violations()).isEmpty();
        Map<String, List<Long>> stored = new TreeMap<>();
        outbox.sql()
                .sql("SELECT aggregate_id, count(*) FROM events.outbox GROUP BY 1")
                .query((row) -> {
                    List<Long> all =
                            LongStream.rangeClosed(1, row.getLong(2)).boxed().toList();
                    stored.put("billing " + row.getString(1), all);
                    stored.put("mail " + row.getString(1), all);
                });
        assertThat(journal.handled()).isEqualTo(stored);
    }
}
