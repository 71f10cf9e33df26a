package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static dev.outbox.spring.autoconfigure.FailureReports.analyze;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Start, pause and stop of the outbox with its application context. */
class OutboxLifecycleTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void pollerThatIsDisabledPublishesButHandlesNothing() {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");

                    assertThat(count(context, "events.outbox_unpublished")).isOne();
                    assertThat(count(context, "events.outbox_handler")).isZero();
                    assertThat(context.getBean(Licensing.class).plans).isEmpty();
                });
    }

    /** Without handlers, the first application would complete the event before the second one was ever registered. */
    @Test
    void eventOfApplicationWithoutHandlersWaitsForTheFirstWorker() {
        Applications.on(database).withBean(Subscriptions.class).run((web) -> {
            web.getBean(Subscriptions.class).start("1", "gold");
            assertThat(count(web, "events.outbox_instance")).isZero();

            Applications.withSubscriptionsOn(database).run((worker) -> {
                List<String> plans = worker.getBean(Licensing.class).plans;
                await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
            });
        });
    }

    @Test
    void workerProcessServesTheStreamIntoWhichAWebProcessOnlyPublishes() {
        ApplicationContextRunner application = Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.streams.billing.aggregate-types=subscription");
        application
                .withPropertyValues("outbox.poller.streams=billing")
                .run((worker) -> application
                        .withPropertyValues("outbox.poller.streams=")
                        .run((web) -> {
                            web.getBean(Subscriptions.class).start("1", "gold");

                            List<String> plans = worker.getBean(Licensing.class).plans;
                            await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
                            assertThat(web.getBean(Licensing.class).plans).isEmpty();
                            assertThat(count(web, "events.outbox_stream WHERE stream = 'default'"))
                                    .isZero();
                        }));
    }

    @Test
    void mistakesAreFoundBeforeTheWebServerOpensItsPort() {
        AtomicBoolean opened = new AtomicBoolean();
        analyze(Applications.on(database)
                .withBean(FailureAnalyzersTest.NoHandler.class)
                .withBean(SmartLifecycle.class, () -> new WebServer(opened)));

        assertThat(opened).isFalse();
    }

    @Test
    void outboxStopsAndPausesWithItsContext() {
        Applications.withSubscriptionsOn(database).run((context) -> {
            OutboxRuntime runtime = context.getBean(OutboxRuntime.class);
            List<String> plans = context.getBean(Licensing.class).plans;
            ConfigurableApplicationContext application = context.getSourceApplicationContext();

            application.stop();
            assertThat(runtime.isRunning()).isFalse();
            context.getBean(Subscriptions.class).start("1", "gold");
            assertThat(plans).isEmpty();

            application.start();
            await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));

            application.pause();
            assertThat(runtime.isRunning()).isFalse();

            application.restart();
            assertThat(runtime.isRunning()).isTrue();
        });
    }

    @Test
    void outboxStopsBesideTheWebServerAndBeforeThePool() {
        Applications.on(database).run((context) -> {
            OutboxRuntime runtime = context.getBean(OutboxRuntime.class);
            HikariDataSource pool = (HikariDataSource) context.getBean(DataSource.class);
            assertThat(context.getBean(OutboxLifecycle.class).getPhase())
                    .isEqualTo(SmartLifecycle.DEFAULT_PHASE - 1024);

            context.close();

            assertThat(runtime.isRunning()).isFalse();
            assertThat(pool.isClosed()).isTrue();
        });
    }

    /** The pollers of the new release start when the old one has delivered the event. */
    @Test
    void firstRequestReachesHandlerThatOldReleaseLacks() {
        Applications.on(database)
                .withPropertyValues("outbox.poller.enabled=true", "outbox.poller.notify=false")
                .run((old) -> Applications.withSubscriptionsOn(database)
                        .withBean(FirstRequest.class)
                        .run((release) -> {
                            List<String> plans = release.getBean(Licensing.class).plans;
                            await().atMost(Duration.ofMinutes(1))
                                    .untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
                            assertThat(old.getBean(OutboxRuntime.class).isRunning())
                                    .isTrue();
                        }));
    }

    /** A process without a web server lives as long as one of its threads is no daemon. */
    @Test
    void onlyAPollingOutboxKeepsItsProcessAliveUntilItCloses() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) -> assertThat(keepingProcessAlive(before)).isEmpty());

        Applications.withSubscriptionsOn(database)
                .run((context) -> assertThat(keepingProcessAlive(before)).isNotEmpty());
        await().until(() -> keepingProcessAlive(before).isEmpty());
    }

    private static List<Thread> keepingProcessAlive(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter((thread) -> thread.getName().startsWith("outbox-") && !thread.isDaemon())
                .filter((thread) -> !before.contains(thread))
                .toList();
    }

    @Test
    void contextThatFailsBeforeItsPollersStartLeavesNoInstance() {
        Applications.withSubscriptionsOn(database)
                .withBean(FailingServer.class)
                .run((failed) -> assertThat(failed).hasFailed());

        Applications.on(database)
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) ->
                        assertThat(count(context, "events.outbox_instance")).isZero());
    }

    @Test
    void handlerThatCameToLightAfterAnEarlyPublishFailsTheStart() {
        Applications.on(database)
                .withUserConfiguration(EarlyPublish.class)
                .withBean(Licensing.class)
                .withPropertyValues("outbox.publisher.unrouted=fail")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("an event was published while the application was starting")
                        .hasMessageContaining("hidden.extend"));
    }

    /** Starts when Spring Boot's web server does. */
    private abstract static class Server implements SmartLifecycle {

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }

        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 2048;
        }
    }

    static final class FirstRequest extends Server {

        private final Subscriptions subscriptions;
        private final JdbcClient jdbc;

        FirstRequest(Subscriptions subscriptions, JdbcClient jdbc) {
            this.subscriptions = subscriptions;
            this.jdbc = jdbc;
        }

        @Override
        public void start() {
            subscriptions.start("1", "gold");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> jdbc.sql("SELECT bool_and(dispatched_at IS NOT NULL) FROM events.outbox")
                            .query(Boolean.class)
                            .single());
        }
    }

    private static final class WebServer extends Server {

        private final AtomicBoolean opened;

        WebServer(AtomicBoolean opened) {
            this.opened = opened;
        }

        @Override
        public void start() {
            opened.set(true);
        }
    }

    static final class FailingServer extends Server {

        @Override
        public void start() {
            throw new IllegalStateException("the port is in use");
        }
    }

    interface Extension {}

    static class HiddenExtension implements Extension {

        @OutboxHandler(id = "hidden.extend")
        void extend(SubscriptionStarted event) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyPublish {

        @Bean
        Object earlyBird(OutboxPublisher outbox, PlatformTransactionManager transactions) {
            new TransactionTemplate(transactions)
                    .executeWithoutResult(
                            (status) -> outbox.publish("subscription", "1", new SubscriptionStarted("x")));
            return Set.of();
        }

        @Bean
        Extension extension() {
            return new HiddenExtension();
        }
    }
}
