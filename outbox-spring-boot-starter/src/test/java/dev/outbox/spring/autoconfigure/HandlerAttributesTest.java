package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Attributes of the annotation of a handler. */
class HandlerAttributesTest {

    @Test
    void handlerSaysWhatFollowsADeadEventAndWhatItWasCalled() {
        try (AnnotationConfigApplicationContext context = context(Renamed.class)) {
            HandlerDefinition handler = find(context).get(0);
            assertThat(handler.onDead()).isEqualTo(OnDead.BLOCK);
            assertThat(handler.aliases()).containsExactly("former", "first");
        }
        try (AnnotationConfigApplicationContext context = context(HandlerDiscoveryTest.Signatures.class)) {
            assertThat(find(context)).allSatisfy((handler) -> {
                assertThat(handler.onDead()).isEqualTo(OnDead.CONTINUE);
                assertThat(handler.aliases()).isEmpty();
            });
        }
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
        try (AnnotationConfigApplicationContext context = context(Deduplicated.class)) {
            assertThat(find(context))
                    .extracting(HandlerDefinition::id, HandlerDefinition::deduplicates)
                    .containsExactlyInAnyOrder(tuple("payload", true), tuple("envelope", true), tuple("plain", false));
        }
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

    @Test
    void handlerSaysWhatHappensBehindItsDeadEvents() {
        try (AnnotationConfigApplicationContext context = context(Blocking.class)) {
            assertThat(find(context))
                    .extracting(HandlerDefinition::id, HandlerDefinition::onDead)
                    .containsExactlyInAnyOrder(tuple("ledger", OnDead.BLOCK), tuple("mail", OnDead.CONTINUE));
        }
    }

    static class Blocking {
        @OutboxHandler(id = "ledger", onDead = OnDead.BLOCK)
        void ledger(SubscriptionStarted event) {}

        @OutboxHandler(id = "mail")
        void mail(SubscriptionStarted event) {}
    }

    private static AnnotationConfigApplicationContext context(Class<?>... beans) {
        return new AnnotationConfigApplicationContext(beans);
    }

    private static List<HandlerDefinition> find(AnnotationConfigApplicationContext context) {
        return new HandlerDiscovery(context.getBeanFactory()).find();
    }
}
