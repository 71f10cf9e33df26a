package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.internal.registry.LocalHandlers;
import dev.outbox.spring.autoconfigure.Subscriptions.PaymentSucceeded;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class HandlerDiscoveryTest {

    static final EventContext CONTEXT = new EventContext() {
        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public boolean isLeaseLost() {
            return false;
        }
    };

    static final EventEnvelope ENVELOPE = new EventEnvelope(
            1,
            UUID.randomUUID(),
            "default",
            "order",
            "1",
            1,
            "SubscriptionStarted",
            1,
            "{}",
            Map.of(),
            Instant.EPOCH,
            false);

    private static final List<String> heard = new ArrayList<>();

    @Test
    void everySupportedSignatureBecomesHandler() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context = context(Signatures.class)) {
            for (HandlerDefinition handler : find(context)) {
                Object payload = handler.payloadType() == JsonNode.class
                        ? JsonMapper.shared().readTree("{}")
                        : new SubscriptionStarted("gold");
                handler.handle(payload, ENVELOPE, CONTEXT);
            }
        }
        assertThat(heard)
                .containsExactlyInAnyOrder(
                        "payload", "payload+", "json", "json+", "envelope", "payload 1", "payload+ 1", "envelope 1");
    }

    @Test
    void idIsBeanNameAndMethodNameUnlessGiven() {
        assertThat(find(Signatures.class))
                .extracting(HandlerDefinition::id)
                .contains("handlerDiscoveryTest.Signatures.payload", "given.id");
    }

    @Test
    void exceptionOfHandlerArrivesUnwrapped() {
        try (AnnotationConfigApplicationContext context = context(ClassProxies.class, Thrower.class)) {
            Map<String, Class<? extends Throwable>> thrown = Map.of(
                    "fatal", NonRetryableException.class, "checked", IOException.class, "error", AssertionError.class);
            for (HandlerDefinition handler : find(context)) {
                assertThatThrownBy(() -> handle(handler)).isInstanceOf(thrown.get(handler.id()));
            }
        }
    }

    @Test
    void typeParameterIsResolvedByTheBeanClass() {
        assertThat(find(PaymentHandler.class)).singleElement().satisfies((handler) -> {
            assertThat(handler.payloadType()).isEqualTo(PaymentSucceeded.class);
            assertThat(handler.id()).isEqualTo("generic");
        });
    }

    @Test
    void methodMayBeMarkedInAnInterface() {
        assertThat(find(Implementation.class)).extracting(HandlerDefinition::id).containsExactly("marked");
    }

    sealed interface TeamEvent permits TeamFounded, Membership {}

    record TeamFounded() implements TeamEvent {}

    sealed interface Membership extends TeamEvent permits MemberAdded, MemberRemoved {}

    record MemberAdded() implements Membership {}

    record MemberRemoved() implements Membership {}

    static class Sealed {

        @OutboxHandler(id = "single")
        void single(TeamEvent event, EventEnvelope envelope) {}

        @OutboxHandler(id = "batch")
        void batch(List<Membership> events) {}

        @OutboxHandler(id = "some", eventTypes = "TeamFounded")
        void some(TeamEvent event) {}
    }

    @Test
    void sealedParameterSubscribesToItsPermittedRecords() {
        assertThat(new LocalHandlers(find(Sealed.class)).eventTypes())
                .isEqualTo(Map.of(
                        "single",
                        Set.of("TeamFounded", "MemberAdded", "MemberRemoved"),
                        "batch",
                        Set.of("MemberAdded", "MemberRemoved"),
                        "some",
                        Set.of("TeamFounded")));
    }

    static AnnotationConfigApplicationContext context(Class<?>... beans) {
        return new AnnotationConfigApplicationContext(beans);
    }

    /** Calls a handler with an event. */
    static void handle(HandlerDefinition handler) throws Exception {
        handler.handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);
    }

    /** Returns the handlers of beans whose context is closed again. */
    static List<HandlerDefinition> find(Class<?>... beans) {
        try (AnnotationConfigApplicationContext context = context(beans)) {
            return find(context);
        }
    }

    static List<HandlerDefinition> find(AnnotationConfigApplicationContext context) {
        return new HandlerDiscovery(context.getBeanFactory()).find();
    }

    static class Signatures {

        @OutboxHandler
        void payload(SubscriptionStarted event) {
            heard.add("payload");
        }

        @OutboxHandler(id = "given.id")
        void payloadAndEnvelope(SubscriptionStarted event, EventEnvelope envelope) {
            heard.add("payload+");
        }

        @OutboxHandler
        void payloadAndContext(SubscriptionStarted event, EventContext context) {
            heard.add("payload " + context.attempt());
        }

        @OutboxHandler
        void payloadEnvelopeAndContext(SubscriptionStarted event, EventEnvelope envelope, EventContext context) {
            heard.add("payload+ " + context.attempt());
        }

        @OutboxHandler(eventTypes = "*")
        void envelopeAndContext(EventEnvelope envelope, EventContext context) {
            heard.add("envelope " + context.attempt());
        }

        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void json(JsonNode payload) {
            heard.add("json");
        }

        @OutboxHandler(eventTypes = "*")
        protected void jsonAndEnvelope(JsonNode payload, EventEnvelope envelope) {
            heard.add("json+");
        }

        @OutboxHandler(eventTypes = "*")
        public void envelope(EventEnvelope envelope) {
            heard.add("envelope");
        }
    }

    @Transactional
    static class Thrower {

        @OutboxHandler(id = "fatal")
        public void fatal(SubscriptionStarted event) {
            throw new NonRetryableException("on purpose");
        }

        @OutboxHandler(id = "checked")
        public void checked(SubscriptionStarted event) throws IOException {
            throw new IOException("on purpose");
        }

        @OutboxHandler(id = "error")
        public void error(SubscriptionStarted event) {
            throw new AssertionError("on purpose");
        }
    }

    abstract static class GenericHandler<T> {

        @OutboxHandler(id = "generic")
        void handle(T event) {}
    }

    static class PaymentHandler extends GenericHandler<PaymentSucceeded> {}

    interface MarkedInterface {

        @OutboxHandler(id = "marked")
        void handle(SubscriptionStarted event);
    }

    static class Implementation implements MarkedInterface {

        @Override
        public void handle(SubscriptionStarted event) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class ClassProxies {

        @Bean
        EmptyTransactions transactionManager() {
            return new EmptyTransactions();
        }
    }

    /** Transactions of nothing. */
    static final class EmptyTransactions extends AbstractPlatformTransactionManager {

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
