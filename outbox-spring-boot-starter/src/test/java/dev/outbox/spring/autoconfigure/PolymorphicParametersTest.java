package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.internal.registry.LocalHandlers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Handler methods whose payload parameter is sealed or abstract. */
class PolymorphicParametersTest {

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

    interface DomainEvent {}

    abstract static class BaseEvent {}

    sealed interface HalfOpen permits Known, OpenEvent {}

    record Known() implements HalfOpen {}

    non-sealed interface OpenEvent extends HalfOpen {}

    sealed interface Change<T> permits Changed {}

    record Changed<T>(T value) implements Change<T> {}

    static class InterfaceParameter {

        @OutboxHandler
        void refused(DomainEvent event) {}
    }

    static class NamedInterfaceParameter {

        @OutboxHandler(eventTypes = "TeamFounded")
        void refused(DomainEvent event) {}
    }

    static class AbstractParameter {

        @OutboxHandler
        void refused(BaseEvent event, EventEnvelope envelope) {}
    }

    static class BatchOfInterfaces {

        @OutboxHandler
        void refused(List<DomainEvent> events) {}
    }

    static class HalfOpenParameter {

        @OutboxHandler
        void refused(HalfOpen event) {}
    }

    static class GenericParameter {

        @OutboxHandler
        void refused(Change<String> event) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {InterfaceParameter.class, NamedInterfaceParameter.class, BatchOfInterfaces.class})
    void interfaceIsRefused(Class<?> bean) {
        assertRefused(
                bean,
                "takes " + DomainEvent.class.getName() + ", which is an interface, so its event types are not known;"
                        + " take a record, or make the type sealed and its permitted types records, or take a JsonNode"
                        + " or an EventEnvelope and set eventTypes");
    }

    @Test
    void otherTypesWithoutKnownRecordsAreRefused() {
        assertRefused(AbstractParameter.class, "takes " + BaseEvent.class.getName() + ", which is an abstract class");
        assertRefused(
                HalfOpenParameter.class,
                "takes " + HalfOpen.class.getName() + ", whose permitted type " + OpenEvent.class.getName()
                        + " is non-sealed, so its subclasses and their event types are not known");
        assertRefused(GenericParameter.class, "without type parameters");
    }

    private static void assertRefused(Class<?> bean, String message) {
        assertThatThrownBy(() -> find(bean))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(bean.getSimpleName() + ".refused(")
                .hasMessageContaining(message);
    }

    private static List<HandlerDefinition> find(Class<?> bean) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(bean)) {
            return new HandlerDiscovery(context.getBeanFactory()).find();
        }
    }
}
