package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.InvalidEventException;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.PaymentSucceeded;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@ExtendWith(OutputCaptureExtension.class)
class OutboxAutoConfigurationTest {

    private final TestDatabase database = Applications.database();

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

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eventIsReplayedToAHandler(boolean lazy) {
        ApplicationContextRunner application = Applications.withSubscriptionsOn(database);
        ApplicationContextRunner started = lazy
                ? application.withInitializer((context) ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                : application;
        started.run((context) -> {
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
    void deadEventIsFoundThroughTheBeans() {
        Applications.withSubscriptionsOn(database).withBean(Refusing.class).run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");

            OutboxOperations operations = context.getBean(OutboxOperations.class);
            DeliverySelection dead = DeliverySelection.all().withStatus(DeliveryStatus.DEAD);
            await().untilAsserted(() -> assertThat(operations.find(dead, 10))
                    .extracting(Delivery::handlerId)
                    .containsExactly("refusing"));
            assertThat(context.getBean(OutboxInspector.class).failures())
                    .extracting(FailureGroup::handlerId)
                    .containsExactly("refusing");
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
        try (TestDatabase empty = TestPostgres.shared().newDatabase()) {
            Applications.on(empty).withPropertyValues("outbox.enabled=false").run((context) -> {
                assertThat(context).hasNotFailed().doesNotHaveBean(OutboxPublisher.class);
                assertThat(context.getBeanDefinitionNames()).noneMatch((name) -> name.startsWith("outbox"));
                assertThat(count(context, "pg_namespace WHERE nspname IN ('events', 'audit')"))
                        .isZero();
            });
        }
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
                        "outbox.poller.interval=100ms",
                        "outbox.handlers[mail.welcome].retry.delays=100ms",
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
    void receivedEventIsStoredEvenIfUnroutedOnesAreRefused() {
        Applications.on(database)
                .withPropertyValues("outbox.publisher.unrouted=fail")
                .run((context) -> {
                    OutboxEvent received = OutboxEvent.of("subscription", "1", new SubscriptionStarted("gold"))
                            .withOrigin("billing");
                    inTransaction(
                            context,
                            () -> context.getBean(OutboxPublisher.class).publish(received));
                    assertThat(count(context, "events.outbox")).isOne();
                });
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

    static class Reluctant {

        final List<String> attempts = new CopyOnWriteArrayList<>();

        @OutboxHandler(id = "mail.welcome")
        void welcome(SubscriptionStarted event) {
            attempts.add(event.plan());
            throw new IllegalStateException("fails on purpose");
        }
    }
}
