package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.internal.registry.LocalHandlers;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Methods that cannot be handlers are refused with a reason. */
class RefusedHandlersTest {

    @Test
    void twoHandlersWithOneIdAreRefusedWithBothPlaces() {
        try (AnnotationConfigApplicationContext context =
                context(HandlerDiscoveryTest.Signatures.class, SameId.class)) {
            assertThatThrownBy(() -> find(context))
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining("two handlers have the id 'given.id'")
                    .hasMessageContaining("Signatures.payloadAndEnvelope(")
                    .hasMessageContaining("bean 'sameId'");
        }
    }

    @Test
    void twoVersionsOfOneTypeAreRefused() {
        try (AnnotationConfigApplicationContext context = context(TwoVersions.class)) {
            List<HandlerDefinition> handlers = find(context);
            assertThatThrownBy(() -> new LocalHandlers(handlers))
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining("PlanChanged")
                    .hasMessageContaining("one application handles one version of a type");
        }
    }

    static List<Arguments> refusedMethods() {
        return List.of(
                Arguments.of(PrivateMethod.class, "is private"),
                Arguments.of(StaticMethod.class, "is static"),
                Arguments.of(ReturnsValue.class, "returns a value"),
                Arguments.of(DeduplicatesApart.class, "remove propagation = REQUIRES_NEW"),
                Arguments.of(RequestScoped.class, "has scope request, and the outbox calls it outside of any request"),
                Arguments.of(SessionScoped.class, "has scope session"),
                Arguments.of(
                        OtherManager.class,
                        "is @Transactional(\"nosuch\"), and the transaction managers are []; correct the name"),
                Arguments.of(OtherManagerOfClass.class, "is @Transactional(\"nosuch\")"),
                Arguments.of(AsyncMethod.class, "is @Async"),
                Arguments.of(AsyncClass.class, "is @Async"),
                Arguments.of(NoParameter.class, "has no parameter for the event; declare a handler as one of"),
                Arguments.of(
                        ThreeParameters.class,
                        "parameter 3 is java.lang.String, where only an EventEnvelope and an EventContext may follow"),
                Arguments.of(
                        WrongOrder.class,
                        "parameter 1 is dev.outbox.EventEnvelope, which must follow the payload; declare a handler as one of"),
                Arguments.of(
                        TwoEnvelopes.class, "parameter 1 is dev.outbox.EventEnvelope, which must follow the payload"),
                Arguments.of(ForeignSecond.class, "parameter 2 is java.lang.String, where only an EventEnvelope"),
                Arguments.of(
                        StringPayload.class,
                        "parameter 1 is java.lang.String, which names no event type; take a record of yours, or JsonNode"),
                Arguments.of(PrimitivePayload.class, "parameter 1 is int, which names no event type"),
                Arguments.of(
                        GenericPayload.class,
                        "<java.lang.String>, whose type parameters the stored event does not tell"),
                Arguments.of(NodeSubclass.class, "parameter 1 is tools.jackson.databind.node.ObjectNode, which is not"),
                Arguments.of(
                        OtherNode.class, "which is not tools.jackson.databind.JsonNode; declare a handler as one of"),
                Arguments.of(EnvelopeWithoutType.class, "names no event type"),
                Arguments.of(NodeWithoutType.class, "names no event type"));
    }

    @ParameterizedTest
    @MethodSource("refusedMethods")
    void methodThatCannotBeHandlerIsRefusedByName(Class<?> bean, String reason) {
        try (AnnotationConfigApplicationContext context = context(bean)) {
            assertThatThrownBy(() -> find(context))
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining(reason)
                    .hasMessageContaining(bean.getSimpleName() + ".refused(");
        }
    }

    private static AnnotationConfigApplicationContext context(Class<?>... beans) {
        return new AnnotationConfigApplicationContext(beans);
    }

    private static List<HandlerDefinition> find(AnnotationConfigApplicationContext context) {
        return new HandlerDiscovery(context.getBeanFactory()).find();
    }

    @Configuration(proxyBeanMethods = false)
    static class SameId {

        @Bean
        HandlerDefinition sameId() {
            return HandlerDefinition.of("given.id", Set.of("*"), (envelope) -> {});
        }
    }

    static class TwoVersions {

        @EventType("PlanChanged")
        record PlanChanged(String plan) {}

        @EventType(value = "PlanChanged", version = 2)
        record PlanChangedAgain(String plan) {}

        @OutboxHandler
        void first(PlanChanged event) {}

        @OutboxHandler
        void second(PlanChangedAgain event) {}
    }

    static class PrivateMethod {
        @OutboxHandler
        private void refused(SubscriptionStarted event) {}
    }

    static class StaticMethod {
        @OutboxHandler
        static void refused(SubscriptionStarted event) {}
    }

    static class ReturnsValue {
        @OutboxHandler
        String refused(SubscriptionStarted event) {
            return "";
        }
    }

    static class DeduplicatesApart {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @OutboxHandler(deduplicate = true)
        void refused(SubscriptionStarted event) {}
    }

    @Scope("request")
    static class RequestScoped {
        @OutboxHandler
        void refused(SubscriptionStarted event) {}
    }

    @Scope(scopeName = "session", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class SessionScoped {
        @OutboxHandler
        void refused(SubscriptionStarted event) {}
    }

    static class OtherManager {
        @Transactional("nosuch")
        @OutboxHandler
        void refused(SubscriptionStarted event) {}
    }

    @Transactional(transactionManager = "nosuch")
    static class OtherManagerOfClass {
        @OutboxHandler
        void refused(SubscriptionStarted event) {}
    }

    static class AsyncMethod {
        @Async
        @OutboxHandler
        void refused(SubscriptionStarted event) {}
    }

    @Async
    static class AsyncClass {
        @OutboxHandler
        void refused(SubscriptionStarted event) {}
    }

    static class NoParameter {
        @OutboxHandler(eventTypes = "*")
        void refused() {}
    }

    static class ThreeParameters {
        @OutboxHandler
        void refused(SubscriptionStarted event, EventEnvelope envelope, String more) {}
    }

    static class WrongOrder {
        @OutboxHandler
        void refused(EventEnvelope envelope, SubscriptionStarted event) {}
    }

    static class TwoEnvelopes {
        @OutboxHandler(eventTypes = "*")
        void refused(EventEnvelope envelope, EventEnvelope other) {}
    }

    static class ForeignSecond {
        @OutboxHandler
        void refused(SubscriptionStarted event, String more) {}
    }

    static class StringPayload {
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void refused(String payload) {}
    }

    static class PrimitivePayload {
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void refused(int payload) {}
    }

    record Wrapper<T>(T value) {}

    static class GenericPayload {
        @OutboxHandler
        void refused(Wrapper<String> payload) {}
    }

    static class NodeSubclass {
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void refused(ObjectNode payload) {}
    }

    static class OtherNode {

        /** Stands for the class of this name in Jackson 2. */
        static class JsonNode {}

        @OutboxHandler
        void refused(JsonNode payload) {}
    }

    static class EnvelopeWithoutType {
        @OutboxHandler
        void refused(EventEnvelope envelope) {}
    }

    static class NodeWithoutType {
        @OutboxHandler
        void refused(JsonNode payload, EventEnvelope envelope) {}
    }
}
