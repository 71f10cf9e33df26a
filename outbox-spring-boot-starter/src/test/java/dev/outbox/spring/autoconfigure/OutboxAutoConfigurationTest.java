package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.InvalidEventException;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.PaymentSucceeded;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.PropertyNamingStrategies;

@ExtendWith(OutputCaptureExtension.class)
class OutboxAutoConfigurationTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void applicationWithoutAnyConfigurationHasRunningOutbox() {
        Applications.on(database).run((context) -> {
            assertThat(context).hasSingleBean(OutboxPublisher.class).hasSingleBean(OutboxRuntime.class);
            assertThat(context.getBean(OutboxRuntime.class).isRunning()).isTrue();
            assertThat(count(context, "events.outbox")).isZero();
            assertThat(count(context, "audit.events")).isZero();
        });
    }

    @Test
    void eventOfCommittedTransactionReachesItsHandler() {
        Applications.withSubscriptionsOn(database).run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");

            List<String> plans = context.getBean(Licensing.class).plans;
            await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
            await().untilAsserted(() ->
                    assertThat(count(context, "events.outbox_published")).isOne());
        });
    }

    @Test
    void eventIsReplayedToAHandler() {
        Applications.withSubscriptionsOn(database).run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");
            await().untilAsserted(() ->
                    assertThat(count(context, "events.outbox_published")).isOne());

            context.getBean(Replays.class).start(ReplayRequest.of("licensing.extend"), "ann", "to see");

            List<String> plans = context.getBean(Licensing.class).plans;
            await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold", "1:gold"));
        });
    }

    @Test
    void rolledBackPublishLeavesNoEvent() {
        Applications.withSubscriptionsOn(database).run((context) -> {
            Subscriptions subscriptions = context.getBean(Subscriptions.class);

            assertThatThrownBy(() -> subscriptions.startAndFail("1")).isInstanceOf(IllegalStateException.class);

            assertThat(count(context, "events.outbox")).isZero();
        });
    }

    @Test
    void publisherOfTheApplicationIsUsedInstead() {
        Applications.on(database).withUserConfiguration(OwnPublisher.class).run((context) -> {
            assertThat(context).hasSingleBean(OutboxPublisher.class);
            assertThat(context.getBean(OutboxPublisher.class)).isSameAs(OwnPublisher.NOTHING);
        });
    }

    @Test
    void deadEventIsFoundThroughTheOperationsBean() {
        Applications.withSubscriptionsOn(database).withBean(Refusing.class).run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");

            OutboxOperations operations = context.getBean(OutboxOperations.class);
            DeliverySelection dead = DeliverySelection.all().withStatus(DeliveryStatus.DEAD);
            await().untilAsserted(() -> assertThat(operations.find(dead, 10))
                    .extracting(Delivery::handlerId)
                    .containsExactly("refusing"));
        });
    }

    static class Refusing {
        @OutboxHandler(id = "refusing")
        void refuse(SubscriptionStarted event) {
            throw new NonRetryableException("no such plan");
        }
    }

    @Test
    void disabledOutboxLeavesNoTrace() {
        Applications.on(database).withPropertyValues("outbox.enabled=false").run((context) -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(OutboxPublisher.class);
            assertThat(context.getBeanDefinitionNames()).noneMatch((name) -> name.startsWith("outbox"));
            assertThat(count(context, "pg_namespace WHERE nspname IN ('events', 'audit')"))
                    .isZero();
        });
    }

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
    void eventTravelsInTheStreamThatTakesItsAggregateType() {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.streams[shop.billing].aggregate-types=subscription")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");

                    await().untilAsserted(() -> assertThat(
                                    count(context, "events.outbox_published WHERE stream = 'shop.billing'"))
                            .isOne());
                });
    }

    @Test
    void lazyApplicationStartsItsOutbox() {
        Applications.withSubscriptionsOn(database)
                .withInitializer((context) ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run((context) -> {
                    assertThat(context.getBeanFactory().containsSingleton("outboxLifecycle"))
                            .isTrue();
                    context.getBean(Subscriptions.class).start("1", "gold");
                    List<String> plans = context.getBean(Licensing.class).plans;
                    await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
                });
    }

    @Test
    void outboxSurvivesStopAndStartOfItsContext() {
        Applications.withSubscriptionsOn(database).run((context) -> {
            OutboxRuntime runtime = context.getBean(OutboxRuntime.class);
            List<String> plans = context.getBean(Licensing.class).plans;
            ConfigurableApplicationContext application = context;

            application.stop();
            assertThat(runtime.isRunning()).isFalse();
            context.getBean(Subscriptions.class).start("1", "gold");
            assertThat(plans).isEmpty();

            application.start();
            await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
        });
    }

    @Test
    void pausedContextPausesItsOutbox() {
        Applications.withSubscriptionsOn(database).run((context) -> {
            OutboxRuntime runtime = context.getBean(OutboxRuntime.class);
            ConfigurableApplicationContext application = context.getSourceApplicationContext();

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

    @Test
    void payloadsAreWrittenAndReadByTheMapperOfTheApplication() {
        Applications.on(database)
                .withUserConfiguration(SnakeCase.class)
                .withBean(Seats.class)
                .run((context) -> {
                    inTransaction(
                            context,
                            () -> context.getBean(OutboxPublisher.class).publish("team", "1", new SeatsAdded(7)));

                    await().untilAsserted(() ->
                            assertThat(context.getBean(Seats.class).payloads).containsExactly("{\"seat_count\": 7}"));
                    assertThat(context.getBean(Seats.class).counts).containsExactly(7);
                });
    }

    @Test
    void outboxWorksWithoutMapperOfSpringBoot() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OutboxAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(DataSource.class, database::dataSource)
                .withBean(Licensing.class)
                .run((context) -> {
                    publish(context, new SubscriptionStarted("gold"));
                    List<String> plans = context.getBean(Licensing.class).plans;
                    await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
                });
    }

    @Test
    void clockOfTheApplicationTellsWhenEventsOccur() {
        Instant noon = Instant.parse("2026-05-04T12:00:00Z");
        Applications.withSubscriptionsOn(database)
                .withBean(Clock.class, () -> Clock.fixed(noon, ZoneOffset.UTC))
                .run((context) -> {
                    EventEnvelope event = context.getBean(Subscriptions.class).start("1", "gold");
                    assertThat(event.occurredAt()).isEqualTo(noon);
                });
    }

    @Test
    void failingListenerDoesNotAffectOtherListeners() {
        RecordingListener first = new RecordingListener();
        RecordingListener second = new RecordingListener();
        OutboxListener broken = new OutboxListener() {
            @Override
            public void handled(Attempt attempt, Result result, Duration duration) {
                throw new IllegalStateException("broken on purpose");
            }
        };
        Applications.withSubscriptionsOn(database)
                .withBean("first", OutboxListener.class, () -> first)
                .withBean("broken", OutboxListener.class, () -> broken)
                .withBean("second", OutboxListener.class, () -> second)
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");

                    await().untilAsserted(() -> assertThat(second.handled).containsExactly("licensing.extend SUCCESS"));
                    assertThat(first.handled).containsExactly("licensing.extend SUCCESS");
                });
    }

    @Test
    void listenerMayDependOnThePublisher() {
        Applications.on(database)
                .withBean(PublishingListener.class)
                .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void handlerIsRegisteredByProgram() {
        List<Integer> amounts = new CopyOnWriteArrayList<>();
        Applications.on(database)
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of(
                                "payments", PaymentSucceeded.class, (event, envelope) -> amounts.add(event.amount())))
                .run((context) -> {
                    inTransaction(
                            context,
                            () -> context.getBean(OutboxPublisher.class)
                                    .publish("subscription", "1", new PaymentSucceeded(3)));
                    await().untilAsserted(() -> assertThat(amounts).containsExactly(3));
                });
    }

    @Test
    void streamOfItsOwnIsPolled() {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.streams.mail.batch-size=5")
                .run((context) -> {
                    inTransaction(
                            context,
                            () -> context.getBean(OutboxPublisher.class)
                                    .publish(OutboxEvent.of("subscription", "1", new SubscriptionStarted("gold"))
                                            .inStream("mail")));
                    List<String> plans = context.getBean(Licensing.class).plans;
                    await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
                });
    }

    @Test
    void handlerIsTriedAgainAsItsPropertiesSay() {
        Applications.on(database)
                .withBean(Subscriptions.class)
                .withBean(Reluctant.class)
                .withPropertyValues(
                        "outbox.poller.interval=50ms",
                        "outbox.handlers[mail.welcome].retry.delays=10ms",
                        "outbox.handlers[mail.welcome].retry.max-attempts=3")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");

                    await().untilAsserted(
                                    () -> assertThat(count(context, "events.outbox_delivery WHERE status = 'DEAD'"))
                                            .isOne());
                    assertThat(context.getBean(Reluctant.class).attempts).hasSize(3);
                });
    }

    @Test
    void propertiesThatNameNoHandlerAreReported(CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.handlers.licensing.retry.max-attempts=3")
                .run((context) -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("outbox.handlers configures [licensing], but this application has only"
                                    + " the handlers [licensing.extend]");
                });
    }

    @Test
    void unroutedEventIsRefusedWhereThatIsWanted() {
        Applications.on(database)
                .withPropertyValues("outbox.publisher.unrouted=fail")
                .run((context) -> assertThatThrownBy(() -> publish(context, new SubscriptionStarted("gold")))
                        .isInstanceOf(InvalidEventException.class)
                        .hasMessageContaining("no handler is registered"));
    }

    @Test
    void payloadLargerThanAllowedIsRefused() {
        Applications.on(database)
                .withPropertyValues("outbox.publisher.max-payload-size=10B")
                .run((context) -> assertThatThrownBy(() -> publish(context, new SubscriptionStarted("platinum")))
                        .isInstanceOf(InvalidEventException.class)
                        .hasMessageContaining("max-payload-size"));
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

    @Test
    void migrationsAreKeptInNativeImages() {
        RuntimeHints hints = new RuntimeHints();
        new OutboxRuntimeHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.resource().forResource("db/outbox/V1__outbox.sql"))
                .accepts(hints);
    }

    @Test
    void retentionFollowsItsCronExpressionInTheTimeZoneOfTheJvm() {
        Applications.on(database).run((context) -> {
            Instant next = context.getBean(OutboxDependencies.class)
                    .retentionSchedule()
                    .apply(Instant.parse("2026-05-04T00:00:00Z"));
            assertThat(next.atZone(ZoneId.systemDefault()).toLocalTime()).hasToString("03:30");
        });
        Applications.on(database)
                .withPropertyValues("outbox.retention.cron=-")
                .run((context) -> assertThat(
                                context.getBean(OutboxDependencies.class).retentionSchedule())
                        .isNull());
    }

    private static void publish(ConfigurableApplicationContext context, Object payload) {
        inTransaction(context, () -> context.getBean(OutboxPublisher.class).publish("subscription", "1", payload));
    }

    private static void inTransaction(ConfigurableApplicationContext context, Runnable work) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult((status) -> work.run());
    }

    record SeatsAdded(int seatCount) {}

    static class Seats {

        final List<Integer> counts = new CopyOnWriteArrayList<>();
        final List<String> payloads = new CopyOnWriteArrayList<>();

        @OutboxHandler
        void add(SeatsAdded event, EventEnvelope envelope) {
            counts.add(event.seatCount());
            payloads.add(envelope.payload());
        }
    }

    static class Reluctant {

        final List<String> attempts = new CopyOnWriteArrayList<>();

        @OutboxHandler(id = "mail.welcome")
        void welcome(SubscriptionStarted event) {
            attempts.add(event.plan());
            throw new IllegalStateException("fails on purpose");
        }
    }

    static class RecordingListener implements OutboxListener {

        final List<String> handled = new CopyOnWriteArrayList<>();

        @Override
        public void handled(Attempt attempt, Result result, Duration duration) {
            handled.add(attempt.handlerId() + " " + result);
        }
    }

    static class PublishingListener implements OutboxListener {

        PublishingListener(OutboxPublisher publisher) {
            assertThat(publisher).isNotNull();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SnakeCase {

        @Bean
        JsonMapperBuilderCustomizer snakeCase() {
            return (builder) -> builder.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnPublisher {

        static final OutboxPublisher NOTHING = new OutboxPublisher() {
            @Override
            public EventEnvelope publish(OutboxEvent event) {
                throw new UnsupportedOperationException();
            }

            @Override
            public List<EventEnvelope> publishAll(Collection<OutboxEvent> events) {
                throw new UnsupportedOperationException();
            }
        };

        @Bean
        OutboxPublisher ownPublisher() {
            return NOTHING;
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
