package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.HandlerDiscoveryTest.find;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import org.junit.jupiter.api.Test;
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
