package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.HandlerDiscoveryTest.find;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.OutboxHandler;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Attributes of the annotation of a handler. */
class HandlerAttributesTest {

    @Test
    void handlerSaysWhatFollowsADeadEventAndWhatItWasCalled() {
        HandlerDefinition renamed = find(Renamed.class).get(0);
        assertThat(renamed.onDead()).isEqualTo(OnDead.BLOCK);
        assertThat(renamed.aliases()).containsExactly("former", "first");
        assertThat(find(HandlerDiscoveryTest.Signatures.class)).allSatisfy((handler) -> {
            assertThat(handler.onDead()).isEqualTo(OnDead.CONTINUE);
            assertThat(handler.aliases()).isEmpty();
        });
    }

    static class Renamed {

        @OutboxHandler(
                id = "current",
                onDead = OnDead.BLOCK,
                aliases = {"former", "first"})
        void handle(SubscriptionStarted event) {}
    }

    @Test
    void handlerSaysHowLongAndHowOftenItIsAttempted() {
        assertThat(find(Limited.class))
                .extracting(HandlerDefinition::id, HandlerDefinition::timeout, HandlerDefinition::maxAttempts)
                .containsExactlyInAnyOrder(
                        tuple("units", Duration.ofSeconds(5), 3),
                        tuple("iso", Duration.ofMinutes(30), 1),
                        tuple("placeholder", Duration.ofMillis(1500), null),
                        tuple("unset", null, null),
                        tuple("batch", Duration.ofSeconds(5), 3));
    }

    static class Limited {

        @OutboxHandler(id = "units", timeout = "5s", maxAttempts = 3)
        void units(SubscriptionStarted event) {}

        @OutboxHandler(id = "iso", timeout = "PT30M", maxAttempts = 1)
        void iso(SubscriptionStarted event) {}

        @OutboxHandler(id = "placeholder", timeout = "${no.such.timeout:1500}", maxAttempts = 0)
        void placeholder(SubscriptionStarted event) {}

        @OutboxHandler(id = "unset", timeout = "${no.such.timeout:}")
        void unset(SubscriptionStarted event) {}

        @OutboxHandler(id = "batch", timeout = "5s", maxAttempts = 3)
        void batch(List<SubscriptionStarted> events) {}
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.handler-timeout=9s, outbox.retry.max-attempts=9, 1 s, 1",
        "outbox.handlers.slow.timeout=1500ms, outbox.handlers.slow.retry.max-attempts=2, 1500 ms, 2"
    })
    void annotationOverridesDefaultsAndYieldsToPropertiesOfTheHandler(
            String timeout, String attempts, String limit, int failures) {
        try (TestDatabase database = Applications.database()) {
            Applications.on(database)
                    .withBean(Subscriptions.class)
                    .withBean(Slow.class)
                    .withPropertyValues("outbox.retry.delays=0s", timeout, attempts)
                    .run((context) -> {
                        context.getBean(Subscriptions.class).start("1", "gold");
                        OutboxOperations operations = context.getBean(OutboxOperations.class);
                        DeliverySelection dead = DeliverySelection.all().withStatus(DeliveryStatus.DEAD);
                        await().until(() -> operations.count(dead).value() == 1);
                        Delivery.Attempts made = operations.find(dead, 1).get(0).attempts();
                        assertThat(made.failed()).isEqualTo(failures);
                        assertThat(made.lastFailure())
                                .extracting(Delivery.Failure::message)
                                .isEqualTo("the handler was interrupted after " + limit);
                    });
        }
    }

    static class Slow {

        @OutboxHandler(id = "slow", timeout = "1s", maxAttempts = 1)
        void handle(SubscriptionStarted event) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    @Test
    void handlerDeduplicatesWhereItSaysSo() {
        assertThat(find(Deduplicated.class))
                .extracting(HandlerDefinition::id, HandlerDefinition::deduplicates)
                .containsExactlyInAnyOrder(tuple("payload", true), tuple("envelope", true), tuple("plain", false));
    }

    static class Deduplicated {
        @Transactional
        @OutboxHandler(id = "payload", deduplicate = true)
        void payload(SubscriptionStarted event) {}

        @OutboxHandler(id = "envelope", eventTypes = "*", deduplicate = true)
        void envelope(EventEnvelope envelope) {}

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @OutboxHandler(id = "plain")
        void plain(SubscriptionStarted event) {}
    }
}
