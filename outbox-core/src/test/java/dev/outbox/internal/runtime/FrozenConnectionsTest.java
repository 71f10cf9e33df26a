package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import dev.outbox.EventEnvelope;
import dev.outbox.fixture.FreezingNetwork;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Pools;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Open connections of an instance die silently, as after a failover: no statement on them ends, while new connections work. */
@Timeout(180)
class FrozenConnectionsTest {

    private static final Duration LEASE = Duration.ofSeconds(6);

    /** What the outbox promises to add to a lease. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

    private static final int BATCH = 20;

    private final TestOutbox source = TestOutbox.create().withoutPolling();
    private final FreezingNetwork network = new FreezingNetwork(source.database());
    private final TestOutbox outbox = source.another(pool());
    private final TestOutbox healthy = source.another();

    private HikariConfig pool() {
        HikariConfig pool = Pools.impatient();
        pool.setDataSource(network.hastyDataSource());
        pool.setValidationTimeout(250);
        return pool;
    }

    @AfterEach
    void close() {
        network.close();
        outbox.close();
        healthy.close();
        source.close();
    }

    @Test
    void writesOutcomesOnAnotherConnection() {
        AtomicBoolean frozen = new AtomicBoolean();
        Recorded handler = handling(outbox, (event) -> freezeOnce(frozen));

        publish("x", 4);

        assertDelivered(4, handler);
    }

    @Test
    void anotherInstanceTakesOverAnAggregate() {
        AtomicBoolean frozen = new AtomicBoolean();
        Recorded handler = Recorded.failing((attempt) -> {
            freezeOnce(frozen);
            return null;
        });
        start(outbox, handler);
        publish("x", 1);
        await().until(frozen::get);
        start(healthy, handler);

        publish("x", 3);
        publish("y", 1);

        assertDelivered(5, handler);
    }

    @Test
    void asynchronousSettlementEnds() {
        network.freezeBeforeStatementOf("outbox-settler-default");
        publishSpread();

        Recorded handler = handling(outbox, (event) -> {});

        assertDelivered(3 * BATCH, handler);
        assertThat(network.hasFrozen()).isTrue();
    }

    @Test
    void prefetchedClaimEnds() {
        network.freezeBeforeStatementOf("outbox-claimer-default");
        publishSpread();

        Recorded handler = handling(outbox, (event) -> {});

        assertDelivered(3 * BATCH, handler);
        assertThat(network.hasFrozen()).isTrue();
    }

    @Test
    void claimEnds() {
        Recorded handler = handling(outbox, (event) -> {});
        network.freezeBeforeStatementOf("outbox-poller-default");

        publish("x", 3);

        assertDelivered(3, handler);
        assertThat(network.hasFrozen()).isTrue();
    }

    /** With the timeouts, the pool and the lease that users have. */
    @Test
    @Tag("full")
    void deliversUnderLoadWithDefaults() {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(network.dataSource().getUrl());
        pool.setUsername(source.database().application());
        pool.setPassword(source.database().password());
        pool.setMinimumIdle(pool.getMaximumPoolSize());
        AtomicBoolean frozen = new AtomicBoolean();
        Recorded handler = Recorded.failing((attempt) -> {
            if (attempt.envelope().sequence() == 20) {
                freezeOnce(frozen);
            }
            return null;
        });
        try (TestOutbox usual = source.another(pool)) {
            usual.handler("any", "*", handler).withNotifications().start();
            IntStream.range(0, 5).forEach((i) -> publish("busy" + i, 10));
            await().until(() -> handler.handled().size() == 50);
            IntStream.range(0, 5).forEach((i) -> publish("busy" + i, 20));

            await().atMost(PollerSettings.defaults().lease().plus(LONGEST_WAIT)).until(() -> published() == 150);
        }
        assertThat(frozen).isTrue();
        assertInOrder(handler);
    }

    private void freezeOnce(AtomicBoolean frozen) {
        if (!frozen.getAndSet(true)) {
            network.freeze();
        }
    }

    /** What a handler does before it succeeds. */
    @FunctionalInterface
    private interface Before {
        void handle(EventEnvelope event);
    }

    private static Recorded handling(TestOutbox instance, Before before) {
        Recorded handler = Recorded.failing((attempt) -> {
            before.handle(attempt.envelope());
            return null;
        });
        start(instance, handler);
        return handler;
    }

    private static void start(TestOutbox instance, Recorded handler) {
        instance.handler("any", "*", handler)
                .poller(Duration.ofMillis(100), BATCH, LEASE)
                .start();
    }

    private void publish(String aggregateId, int events) {
        IntStream.range(0, events).forEach((i) -> source.publish(aggregateId, new OrderPlaced(i)));
    }

    /** Full batches of many aggregates are claimed ahead, and settled on a thread of their own. */
    private void publishSpread() {
        IntStream.range(0, 3 * BATCH).forEach((i) -> publish("spread" + i, 1));
    }

    private long published() {
        return source.count("events.outbox_published");
    }

    private void assertDelivered(int events, Recorded handler) {
        await().atMost(LEASE.plus(LONGEST_WAIT)).until(() -> published() == events);
        assertInOrder(handler);
    }

    /** An event may be repeated, but never after a later one of its aggregate. */
    private static void assertInOrder(Recorded handler) {
        assertThat(handler.sequences()).allSatisfy((aggregate, sequences) -> {
            List<Long> distinct = sequences.stream().distinct().toList();
            assertThat(distinct)
                    .isEqualTo(
                            LongStream.rangeClosed(1, distinct.size()).boxed().toList());
        });
    }
}
