package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Handlers on virtual threads, more of them than the machine has processors, with fewer connections than handlers. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads need Java 21")
class VirtualThreadsTest {

    private static final int EVENTS = 400;
    private static final int AGGREGATES = 40;

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void handlersRunInOrderOnVirtualThreads() {
        application().run((context) -> {
            Subscriptions subscriptions = context.getBean(Subscriptions.class);

            IntStream.range(0, EVENTS).forEach((i) -> subscriptions.start("s-" + i % AGGREGATES, "gold"));

            await().untilAsserted(() ->
                    assertThat(count(context, "events.outbox_published")).isEqualTo(EVENTS));
            Blocking handler = context.getBean(Blocking.class);
            assertThat(handler.sequences).hasSize(AGGREGATES);
            assertThat(handler.sequences.values())
                    .allSatisfy((sequences) -> assertThat(sequences)
                            .isSorted()
                            .doesNotHaveDuplicates()
                            .hasSize(EVENTS / AGGREGATES));
            assertThat(handler.virtual).containsExactly(true);
        });
    }

    @Test
    void pollerOfASequentialStreamKeepsItsPlatformThread() {
        application().withPropertyValues("outbox.poller.concurrency=1").run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");

            await().untilAsserted(() ->
                    assertThat(context.getBean(Blocking.class).virtual).containsExactly(false));
        });
    }

    private ApplicationContextRunner application() {
        return Applications.on(database)
                .withBean(Subscriptions.class)
                .withBean(Blocking.class)
                .withPropertyValues(
                        "spring.threads.virtual.enabled=true",
                        "spring.datasource.hikari.maximum-pool-size=10",
                        "outbox.poller.concurrency=16");
    }

    /** Waits for the database while it holds a monitor, which occupies the carrier thread before Java 24. */
    static class Blocking {

        final Map<String, List<Long>> sequences = new ConcurrentHashMap<>();
        final Set<Boolean> virtual = ConcurrentHashMap.newKeySet();
        private final Map<String, Object> monitors = new ConcurrentHashMap<>();
        private final JdbcClient jdbc;

        Blocking(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @OutboxHandler(id = "blocking", deduplicate = true)
        void handle(SubscriptionStarted event, EventEnvelope envelope) throws ReflectiveOperationException {
            Method isVirtual = Thread.class.getMethod("isVirtual");
            virtual.add((boolean) isVirtual.invoke(Thread.currentThread()));
            synchronized (monitors.computeIfAbsent(envelope.aggregateId(), (id) -> new Object())) {
                jdbc.sql("SELECT pg_sleep(0.002)").query().singleRow();
            }
            sequences
                    .computeIfAbsent(envelope.aggregateId(), (id) -> new CopyOnWriteArrayList<>())
                    .add(envelope.sequence());
        }
    }
}
