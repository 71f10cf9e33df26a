package dev.outbox.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.sql.OutboxSchema;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;

class HandlerRegistryTest {

    private static final Duration WEEK = Duration.ofDays(7);
    private static final Map<String, Set<Subscription>> MAIL = Map.of("mail", Set.of(Subscription.ofType("OrderPaid")));
    private static final HandlerDefinition BILLING =
            HandlerDefinition.of("billing", Set.of("OrderPlaced"), (envelope) -> {});

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final HandlerStore store = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    private final CountDownLatch read = new CountDownLatch(1);
    private final CountDownLatch proceed = new CountDownLatch(1);

    @AfterEach
    void close() {
        proceed.countDown();
    }

    /** Otherwise events that are claimed after a registration would miss the new handler. */
    @Test
    void earlierReadDoesNotReplaceALaterOne() throws Exception {
        HandlerRegistry registry =
                new HandlerRegistry(() -> List.of(BILLING), slowOn("heartbeat"), OutboxSchema.DEFAULT);
        store.register(Map.of("billing", Set.of(Subscription.ofType("OrderPlaced"))), Map.of(), WEEK);
        FutureTask<Void> heartbeat = start("heartbeat", registry::heartbeat);
        assertThat(read.await(10, TimeUnit.SECONDS)).isTrue();
        store.register(MAIL, Map.of(), WEEK);
        Thread[] poller = new Thread[1];
        FutureTask<Void> claim = start("poller", () -> {
            poller[0] = Thread.currentThread();
            registry.loadVersion(new HandlerRegistry.Version("server", 1, 0));
        });

        await().until(() -> claim.isDone() || poller[0] != null && poller[0].getState() == Thread.State.WAITING);
        proceed.countDown();
        heartbeat.get(10, TimeUnit.SECONDS);
        claim.get(10, TimeUnit.SECONDS);
        assertThat(isWanted(registry)).isTrue();
    }

    @Test
    void heartbeatRestoresMissingRegistrations() throws SQLException {
        HandlerRegistry registry =
                new HandlerRegistry(() -> List.of(BILLING), outbox.dataSource(), OutboxSchema.DEFAULT);
        registry.register();
        loseRegistrations();

        registry.heartbeat();

        assertThat(outbox.registeredHandlers()).isEqualTo(1);
        assertThat(outbox.count("events.outbox_subscription")).isEqualTo(1);
    }

    @Test
    void claimAfterARestartDoesNotReviveWhatHasExpiredBefore() throws SQLException {
        HandlerRegistry registry = new HandlerRegistry(List::of, outbox.dataSource(), OutboxSchema.DEFAULT);
        store.register(MAIL, Map.of(), WEEK);
        registry.register();
        registry.loadVersion(new HandlerRegistry.Version("before", 1, 0));
        loseRegistrations();

        registry.heartbeat();
        registry.loadVersion(new HandlerRegistry.Version("after", 1, 0));

        assertThat(isWanted(registry)).isFalse();
    }

    @Test
    void firstClaimDoesNotReviveWhatHasExpiredSinceTheStart() throws SQLException {
        HandlerRegistry registry =
                new HandlerRegistry(() -> List.of(BILLING), outbox.dataSource(), OutboxSchema.DEFAULT);
        store.register(MAIL, Map.of(), WEEK);
        store.addStream("default");
        registry.register();
        outbox.update("UPDATE events.outbox_subscription SET last_seen_at = now() - interval '8 days'"
                + " WHERE handler_id = 'mail'");

        registry.loadVersion(claimed());

        assertThat(isWanted(registry)).isFalse();
    }

    /** Other instances do not know it any more, so the versions have to grow. */
    @Test
    void heartbeatRegistersAgainWhatHasExpired() throws SQLException {
        store.register(MAIL, Map.of(), WEEK);
        assertThat(store.heartbeat(MAIL)).isTrue();
        seen("now() - interval '8 days'");

        assertThat(store.heartbeat(MAIL)).isFalse();
    }

    @Test
    void heartbeatOfASecondInstanceWritesNothing() throws SQLException {
        store.register(MAIL, Map.of(), WEEK);
        seen("now() - interval '1 minute'");

        List<String> before = versions();
        assertThat(store.heartbeat(MAIL)).isTrue();
        List<String> renewed = versions();
        assertThat(renewed).doesNotContainAnyElementsOf(before);
        assertThat(store.heartbeat(MAIL)).isTrue();
        assertThat(versions()).isEqualTo(renewed);
    }

    @Test
    void heartbeatReplacesTimesFromBeforeTheClockWasSetBack() throws SQLException {
        store.register(MAIL, Map.of(), WEEK);
        seen("now() + interval '1 hour'");

        assertThat(store.heartbeat(MAIL)).isTrue();
        assertThat(outbox.count("events.outbox_subscription WHERE last_seen_at > now()"))
                .isZero();
        assertThat(outbox.count("events.outbox_handler WHERE last_seen_at > now()"))
                .isZero();
    }

    private void loseRegistrations() {
        outbox.update("DELETE FROM events.outbox_subscription");
        outbox.update("DELETE FROM events.outbox_handler");
    }

    private static boolean isWanted(HandlerRegistry registry) {
        return registry.hasSubscribers(Subscription.of("OrderPaid", "order", "default", false));
    }

    private void seen(String time) {
        outbox.update("UPDATE events.outbox_subscription SET last_seen_at = " + time);
        outbox.update("UPDATE events.outbox_handler SET last_seen_at = " + time);
    }

    private List<String> versions() {
        return outbox.values(
                String.class,
                "SELECT 'h' || ctid FROM events.outbox_handler UNION ALL SELECT 's' || ctid FROM events.outbox_subscription");
    }

    private HandlerRegistry.Version claimed() throws SQLException {
        outbox.publish("1", new OrderPaid(1));
        return new ClaimSteps(outbox).claim(1, ActiveHandlers.ofAllTypes()).registry();
    }

    private interface Step {
        void run() throws Exception;
    }

    private static FutureTask<Void> start(String name, Step step) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            step.run();
            return null;
        });
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Stops the thread after it has read the registry: in its second transaction, which follows the one of the heartbeat. */
    private DataSource slowOn(String thread) {
        AtomicInteger closed = new AtomicInteger();
        return new DelegatingDataSource(outbox.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            Object answer = method.invoke(connection, arguments);
                            boolean listed = method.getName().equals("close")
                                    && Thread.currentThread().getName().equals(thread)
                                    && closed.incrementAndGet() == 2;
                            if (listed) {
                                read.countDown();
                                proceed.await();
                            }
                            return answer;
                        });
            }
        };
    }
}
