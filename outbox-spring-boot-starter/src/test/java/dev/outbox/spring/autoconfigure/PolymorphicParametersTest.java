package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.internal.registry.LocalHandlers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Handler methods whose payload parameter is sealed. */
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
        assertThat(new LocalHandlers(HandlerDiscoveryTest.find(Sealed.class)).eventTypes())
                .isEqualTo(Map.of(
                        "single",
                        Set.of("TeamFounded", "MemberAdded", "MemberRemoved"),
                        "batch",
                        Set.of("MemberAdded", "MemberRemoved"),
                        "some",
                        Set.of("TeamFounded")));
    }
}
