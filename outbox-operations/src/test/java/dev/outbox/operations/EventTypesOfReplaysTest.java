package dev.outbox.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventTypeName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventTypesOfReplaysTest {

    @Test
    void nameThatEventsMayHaveIsTaken() {
        assertThat(ReplayRequest.of("mail").eventTypes("order.placed.v1").eventTypes())
                .containsExactly("order.placed.v1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "order placed", "order*"})
    void otherNameIsRefused(String name) {
        assertThatThrownBy(() -> ReplayRequest.of("mail").eventTypes(name))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContainingAll("'" + name + "'", EventTypeName.RULE);
    }
}
