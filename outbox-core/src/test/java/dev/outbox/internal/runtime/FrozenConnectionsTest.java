package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.FreezingNetwork;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Pools;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Open connections of an instance die silently, as after a failover: no statement on them ends, while new connections work. */
@Timeout(180)
class FrozenConnectionsTest {

    private static final Duration LEASE = Duration.ofSeconds(6);

    /** What the outbox promises to add to a lease. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

    private static final int BATCH = 20;

    @RegisterExtension
    private final TestOutbox source = TestOutbox.create().withoutPolling();

    private final FreezingNetwork network = new FreezingNetwork(source.database());
    private final TestOutbox outbox = source.another(pool(network.hastyDataSource()));
    private final TestOutbox healthy = source.another();

    private static HikariConfig pool(DataSource dataSource) {
        HikariConfig pool = Pools.impatient();
        pool.setDataSource(dataSource);
        pool.setValidationTimeout(250);
        return pool;
    }

    @AfterEach
    void close() {
        network.close();
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

    @ParameterizedTest
    @ValueSource(strings = {"outbox-settler-default", "outbox-claimer-default"})
    void asynchronousSettlementAndPrefetchedClaimEnd(String thread) {
        network.freezeBeforeCall(thread, "prepareStatement");
        publishSpread();

        Recorded handler = handling(outbox, (event) -> {});

        assertDelivered(3 * BATCH, handler);
        assertThat(network.hasFrozen()).isTrue();
    }

    @Test
    void claimEnds() {
        Recorded handler = handling(outbox, (event) -> {});
        network.freezeBeforeCall("outbox-poller-default", "prepareStatement");

        publish("x", 3);

        assertDelivered(3, handler);
        assertThat(network.hasFrozen()).isTrue();
    }

    @Test
    void deduplicationEnds() {
        Recorded handler = deduplicating();
        network.freezeBeforeCall("outbox-poller-default", "prepareStatement", "processed_event");

        publish("x", 3);

        assertDelivered(3, handler);
        assertThat(network.hasFrozen()).isTrue();
    }

    /** The server keeps the transaction of the first event until it notices; the stream continues. */
    @Test
    @Tag("full")
    void commitOfADeduplicatingHandlerEnds() {
        Recorded handler = deduplicating();
        network.freezeBeforeCall("outbox-poller-default: commit");
        publish("x", 1);
        await().until(network::hasFrozen);

        publish("y", 1);

        await().atMost(LEASE.plus(LONGEST_WAIT)).until(() -> handler.sequences().containsKey("y"));
    }

    private Recorded deduplicating() {
        Recorded handler = Recorded.all();
        outbox.retry(TestOutbox.AT_ONCE)
                .handler(HandlerDefinition.of("any", Set.of("*"), handler).deduplicating())
                .poller(Duration.ofMillis(100), BATCH, LEASE)
                .start();
        return handler;
    }

    @Test
    void statementBeforeADeadLetterMethodEnds() {
        List<DeadLetter> letters = reporting();
        network.freezeBeforeCall("outbox-dead-letters", "prepareStatement", "SKIP LOCKED");

        publish("x", 1);

        await().atMost(LEASE.plus(LONGEST_WAIT)).until(() -> letters.size() == 1);
        assertThat(network.hasFrozen()).isTrue();
    }

    @Test
    @Tag("full")
    void commitOfADeadLetterMethodEnds() {
        List<DeadLetter> letters = reporting();
        network.freezeBeforeCall("outbox-dead-letters: commit");
        publish("x", 1);
        await().until(network::hasFrozen);

        publish("y", 1);

        await().atMost(LEASE.plus(LONGEST_WAIT))
                .until(() -> letters.stream()
                        .anyMatch((letter) -> letter.event().aggregateId().equals("y")));
    }

    private List<DeadLetter> reporting() {
        List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.of("any", Set.of("*"), (event) -> {
                            throw new NonRetryableException("no such customer");
                        })
                        .onDeadLetter(letters::add))
                .poller(Duration.ofMillis(100), BATCH, LEASE)
                .start();
        return letters;
    }

    /** The statement never ends, but another instance has the events after two leases. */
    @Test
    @Tag("full")
    void anotherInstanceTakesOverFromADriverWithoutTimeouts() {
        AtomicBoolean frozen = new AtomicBoolean();
        Recorded handler = Recorded.failing((attempt) -> {
            freezeOnce(frozen);
            return null;
        });
        try (TestOutbox deaf = source.another(pool(network.deafDataSource()))) {
            start(deaf, handler);
            publish("x", 1);
            await().until(frozen::get);
            start(healthy, handler);
            publish("x", 3);

            await().atMost(LEASE.multipliedBy(2).plus(LONGEST_WAIT)).until(() -> published() == 4);
            assertInOrder(handler);
            network.close();
        }
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
        return source.published();
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
