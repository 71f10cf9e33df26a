package dev.outbox.modulith.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.modulith.internal.DoubleDeliveries;
import dev.outbox.modulith.internal.ExternalizedEvents;
import dev.outbox.modulith.internal.ModuleListeners;
import dev.outbox.spring.autoconfigure.HandledPayloads;
import dev.outbox.spring.autoconfigure.events.UnmarkedEvents;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.support.CompletionRegisteringAdvisor;

/** Turns Spring Modulith's listeners of stored events into handlers. */
@AutoConfiguration(after = OutboxModulithAutoConfiguration.class)
@ConditionalOnClass({ApplicationModuleListener.class, CompletionRegisteringAdvisor.class})
@ConditionalOnBean(OutboxRuntime.class)
@ConditionalOnBooleanProperty(name = "outbox.modulith.listeners")
public final class OutboxModuleListenersAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ModuleListeners outboxModuleListeners(BeanFactory beans, Environment environment) {
        if (!environment.getProperty("outbox.spring-events.enabled", Boolean.class, true)) {
            throw new OutboxConfigurationException(
                    "outbox.modulith.listeners is true, but outbox.spring-events.enabled is false, so the listeners would"
                            + " receive no events",
                    "remove one of the properties",
                    null);
        }
        return new ModuleListeners(beans);
    }

    /** The listeners need the events also if their externalization is disabled. */
    @Bean
    UnmarkedEvents outboxEventsOfModuleListeners(
            ModuleListeners listeners, ObjectProvider<ExternalizedEvents> externalized, BeanFactory beans) {
        ExternalizedEvents events = externalized.getIfAvailable(() -> new ExternalizedEvents(
                EventExternalizationConfiguration.externalizing()
                        .selectByAnnotation(Externalized.class)
                        .build(),
                beans));
        return (event) -> listeners.adopted(event.getClass()) ? events.read(event) : null;
    }

    @Bean
    DoubleDeliveries outboxDoubleDeliveries(
            ModuleListeners listeners, HandledPayloads handlers, ListableBeanFactory beans) {
        return new DoubleDeliveries(listeners, handlers, beans);
    }
}
