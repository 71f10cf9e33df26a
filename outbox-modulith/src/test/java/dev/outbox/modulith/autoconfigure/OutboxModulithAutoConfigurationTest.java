package dev.outbox.modulith.autoconfigure;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.mock.env.MockEnvironment;

class OutboxModulithAutoConfigurationTest {

    @Test
    void listenersNeedSpringEvents() {
        MockEnvironment environment = new MockEnvironment().withProperty("outbox.spring-events.enabled", "false");

        assertThatThrownBy(() -> OutboxModulithAutoConfiguration.Listeners.outboxModuleListeners(
                        new StaticListableBeanFactory(), environment))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessage(
                        "outbox.modulith.listeners=true needs Spring events, and outbox.spring-events.enabled is false;"
                                + " remove one of the properties");
    }
}
