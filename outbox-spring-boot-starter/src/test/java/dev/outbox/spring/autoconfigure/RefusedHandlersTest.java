package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.BatchOutcome;
import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.internal.registry.LocalHandlers;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Methods that cannot be handlers are refused with a reason. */
class RefusedHandlersTest {

    /** Reason for which the method is refused. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Because {

        String value();
    }

    static Stream<Method> refused() {
        return Stream.of(RefusedHandlersTest.class.getDeclaredClasses())
                .flatMap((type) -> Stream.of(type.getDeclaredMethods()))
                .filter((method) -> method.isAnnotationPresent(Because.class));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void methodThatCannotBeHandlerIsRefusedByName(Method method) {
        Class<?> type = method.getDeclaringClass();
        String reason = method.getAnnotation(Because.class).value();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(HandlerDiscoveryTest.ClassProxies.class);
            context.registerBean("shop", type);
            context.refresh();
            CalledMethod called = new CalledMethod(context.getBeanFactory(), "shop", type, method, OutboxHandler.class);
            HandlerMethod handler = new HandlerMethod(called, method.getAnnotation(OutboxHandler.class));

            assertThatThrownBy(handler::define)
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageStartingWith("@OutboxHandler method ")
                    .hasMessageContaining(type.getName() + "." + method.getName() + "(")
                    .hasMessageContaining(" of bean 'shop' ")
                    .hasMessageContaining(reason);
        }
    }

    @Test
    void twoHandlersWithOneIdAreRefusedWithBothPlaces() {
        assertThatThrownBy(() -> HandlerDiscoveryTest.find(HandlerDiscoveryTest.Signatures.class, SameId.class))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("two handlers have the id 'given.id':\n")
                .hasMessageContaining("Signatures.payloadAndEnvelope(")
                .hasMessageContaining("bean 'sameId'")
                .hasMessageEndingWith("ids are stored with deliveries and must be unique; give each handler its own");
    }

    @Test
    void twoHandlersWithOneAliasAreRefusedWithBothPlaces() {
        assertThatThrownBy(() -> HandlerDiscoveryTest.find(OneAlias.class))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageStartingWith("the id or alias 'mail' is used twice:\n")
                .hasMessageContaining("OneAlias.one(")
                .hasMessageContaining("OneAlias.other(")
                .hasMessageContaining(" of bean 'refusedHandlersTest.OneAlias'\n")
                .hasMessageEndingWith("each takes over what is stored under it; remove the alias of one");
    }

    static class OneAlias {

        @OutboxHandler(id = "mail.one", aliases = "mail", eventTypes = "OrderPlaced")
        void one(EventEnvelope event) {}

        @OutboxHandler(id = "mail.other", aliases = "mail", eventTypes = "OrderPlaced")
        void other(EventEnvelope event) {}
    }

    @Test
    void twoVersionsOfOneTypeAreRefused() {
        List<HandlerDefinition> handlers = HandlerDiscoveryTest.find(TwoVersions.class);
        assertThatThrownBy(() -> new LocalHandlers(handlers))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("PlanChanged")
                .hasMessageContaining("one application handles one version of a type");
    }

    @Test
    void twoClassesWithOneSimpleNameAreRefused() {
        List<HandlerDefinition> handlers = HandlerDiscoveryTest.find(Subscriptions.Licensing.class, Namesake.class);
        assertThatThrownBy(() -> new LocalHandlers(handlers))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageStartingWith("two classes stand for event type SubscriptionStarted, so each would get the"
                        + " other's events:")
                .hasMessageEndingWith("name another type with @EventType, or mark the class that repeats the other's"
                        + " contract @EventType(copy = true)");
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

    static class Namesake {

        record SubscriptionStarted(int number) {}

        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    static class Callable {

        @Because("is private, so a proxy of its bean cannot forward the call; make it package-private")
        @OutboxHandler
        private void hidden(SubscriptionStarted event) {}

        @Because("is static, but the outbox calls a method of a bean; remove static")
        @OutboxHandler
        static void ofNoBean(SubscriptionStarted event) {}

        @Because("returns a value, which the outbox would ignore; declare a handler as one of\n")
        @OutboxHandler
        String returning(SubscriptionStarted event) {
            return "";
        }

        @Because("has deduplicate = true, which requires its work to join the outbox's transaction;"
                + " remove propagation = REQUIRES_NEW")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @OutboxHandler(deduplicate = true)
        void deduplicatingApart(SubscriptionStarted event) {}

        @Because(
                "is @Transactional(\"nosuch\"), and the transaction managers are [transactionManager]; correct the name")
        @Transactional("nosuch")
        @OutboxHandler
        void ofOtherManager(SubscriptionStarted event) {}

        @Because("is @Async, so the outbox would record success before the work is done; remove @Async: the outbox"
                + " calls the method after the commit, on a thread of its own")
        @Async
        @OutboxHandler
        void later(SubscriptionStarted event) {}

        @Because("is @ApplicationModuleListener, and thereby @Async, so the outbox would record success before the"
                + " work is done; remove @ApplicationModuleListener: the outbox calls the method after the commit")
        @ApplicationModuleListener
        @OutboxHandler
        void ofModule(SubscriptionStarted event) {}
    }

    static class Limits {

        private static final String REMEDY = "; set a duration from 1s to 1d, such as \"5s\"";

        @Because("has timeout = \"5\": 5ms is shorter than 1s" + REMEDY)
        @OutboxHandler(timeout = "5")
        void withoutUnit(SubscriptionStarted event) {}

        @Because("has timeout = \"2d\": 2d is longer than 1d" + REMEDY)
        @OutboxHandler(timeout = "2d")
        void endless(SubscriptionStarted event) {}

        @Because("has timeout = \"0s\": timeout must be positive: PT0S" + REMEDY)
        @OutboxHandler(timeout = "0s")
        void noTime(SubscriptionStarted event) {}

        @Because("has timeout = \"soon\": 'soon' is not a valid duration" + REMEDY)
        @OutboxHandler(timeout = "soon")
        void noDuration(SubscriptionStarted event) {}

        @Because("has timeout = \"${no.such.timeout}\": ")
        @OutboxHandler(timeout = "${no.such.timeout}")
        void unknownPlaceholder(SubscriptionStarted event) {}

        @Because("has maxAttempts = -1; set 1 or more, or leave it out for the configured number")
        @OutboxHandler(maxAttempts = -1)
        void noAttempt(SubscriptionStarted event) {}
    }

    @Transactional
    static class Proxied {

        @Because("is final, so the proxy of its bean cannot forward the call; remove final")
        @OutboxHandler
        public final void fixed(SubscriptionStarted event) {}
    }

    @Scope("request")
    static class RequestScoped {

        @Because("has scope request, and the outbox calls it outside of any request; make the bean a singleton")
        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    @Scope(scopeName = "session", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class SessionScoped {

        @Because("has scope session")
        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    @Transactional(transactionManager = "nosuch")
    static class OtherManager {

        @Because("is @Transactional(\"nosuch\")")
        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    @Async
    static class Asynchronous {

        @Because("is @Async")
        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    static class Parameters {

        @Because("has no parameter for the event; declare a handler as one of\n")
        @OutboxHandler(eventTypes = "*")
        void none() {}

        @Because("parameter 3 is java.lang.String, where only an EventEnvelope and an EventContext may follow")
        @OutboxHandler
        void three(SubscriptionStarted event, EventEnvelope envelope, String more) {}

        @Because("has parameters that a handler cannot have: parameter 1 is dev.outbox.EventEnvelope, which must follow"
                + " the payload; declare a handler as one of\n")
        @OutboxHandler
        void inWrongOrder(EventEnvelope envelope, SubscriptionStarted event) {}

        @Because("parameter 1 is dev.outbox.EventEnvelope, which must follow the payload")
        @OutboxHandler(eventTypes = "*")
        void twoEnvelopes(EventEnvelope envelope, EventEnvelope other) {}

        @Because("parameter 2 is java.lang.String, where only an EventEnvelope")
        @OutboxHandler
        void foreignSecond(SubscriptionStarted event, String more) {}

        @Because("parameter 1 is java.lang.String, which names no event type; take a record of yours, or JsonNode")
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void text(String payload) {}

        @Because("parameter 1 is int, which names no event type")
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void primitive(int payload) {}

        @Because("<java.lang.String>, whose type parameters the stored event does not tell")
        @OutboxHandler
        void generic(Wrapper<String> payload) {}

        @Because("parameter 1 is tools.jackson.databind.node.ObjectNode, which is not tools.jackson.databind.JsonNode")
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void subclassOfNode(ObjectNode payload) {}

        @Because("which is not tools.jackson.databind.JsonNode; declare a handler as one of\n")
        @OutboxHandler
        void otherNode(Jackson2.JsonNode payload) {}

        @Because("names no event type")
        @OutboxHandler
        void envelopeWithoutType(EventEnvelope envelope) {}

        @Because("names no event type")
        @OutboxHandler
        void nodeWithoutType(JsonNode payload, EventEnvelope envelope) {}
    }

    static class Lists {

        @Because("void handle(List<Payload> events, List<EventEnvelope> envelopes)")
        @OutboxHandler
        @SuppressWarnings("rawtypes")
        void raw(List batch) {}

        @Because("void handle(List<Payload> events, List<EventEnvelope> envelopes)")
        @OutboxHandler
        void envelopesFirst(List<EventEnvelope> envelopes, List<SubscriptionStarted> batch) {}

        @Because("void handle(List<Payload> events, List<EventEnvelope> envelopes)")
        @OutboxHandler
        void texts(List<String> batch) {}

        @Because("void handle(List<Payload> events, List<EventEnvelope> envelopes)")
        @OutboxHandler
        void outcomeOfASingleEvent(SubscriptionStarted event, BatchOutcome outcome) {}
    }

    static class OpenTypes {

        private static final String INTERFACE =
                "DomainEvent, which is an interface, so its event types are not known; take a record, or make the type"
                        + " sealed and its permitted types records, or take a JsonNode or an EventEnvelope and set eventTypes";

        @Because(INTERFACE)
        @OutboxHandler
        void ofInterface(DomainEvent event) {}

        @Because(INTERFACE)
        @OutboxHandler(eventTypes = "TeamFounded")
        void ofNamedInterface(DomainEvent event) {}

        @Because(INTERFACE)
        @OutboxHandler
        void ofInterfaces(List<DomainEvent> events) {}

        @Because("BaseEvent, which is an abstract class")
        @OutboxHandler
        void ofAbstractClass(BaseEvent event, EventEnvelope envelope) {}

        @Because("OpenEvent is non-sealed, so its subclasses and their event types are not known")
        @OutboxHandler
        void halfOpen(HalfOpen event) {}

        @Because("without type parameters")
        @OutboxHandler
        void generic(Change<String> event) {}
    }

    static class Marked {

        private static final String LISTENS = "is also an @EventListener: Spring calls it when an application publishes"
                + " OrderPlaced, and the outbox calls it again; remove one of the annotations";

        private static final String MISTYPED =
                "takes a class that cannot be published: aggregateId 'oderId' of @Outboxed"
                        + " dev.outbox.spring.autoconfigure.RefusedHandlersTest$OrderLost names no property";

        @Because(LISTENS)
        @EventListener
        @OutboxHandler
        void listening(OrderPlaced event) {}

        @Because(LISTENS)
        @TransactionalEventListener
        @OutboxHandler
        void listeningAfterCommit(OrderPlaced event) {}

        @Because(MISTYPED)
        @OutboxHandler
        void mistyped(OrderLost event) {}

        @Because(MISTYPED)
        @OutboxHandler
        void mistypedBatch(List<OrderLost> events) {}
    }

    /** Has the name and the marks of the annotation of Spring Modulith. */
    @Async
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @TransactionalEventListener
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface ApplicationModuleListener {}

    @Outboxed(aggregateType = "order", aggregateId = "orderId")
    record OrderPlaced(String orderId) {}

    @Outboxed(aggregateType = "order", aggregateId = "oderId")
    record OrderLost(String orderId) {}

    record Wrapper<T>(T value) {}

    static final class Jackson2 {

        static class JsonNode {}

        private Jackson2() {}
    }

    interface DomainEvent {}

    abstract static class BaseEvent {}

    sealed interface HalfOpen permits Known, OpenEvent {}

    record Known() implements HalfOpen {}

    non-sealed interface OpenEvent extends HalfOpen {}

    sealed interface Change<T> permits Changed {}

    record Changed<T>(T value) implements Change<T> {}
}
