package dev.outbox.spring.autoconfigure.events;

import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.HandledPayloads;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.autoconfigure.PublisherDecorator;
import jakarta.persistence.EntityManagerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.orm.jpa.EntityManagerHolder;

/** Publishes objects and Spring events of classes marked {@link dev.outbox.Outboxed} to the outbox. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxRuntime.class)
public final class OutboxSpringEventsAutoConfiguration {

    @Bean
    OutboxedEvents outboxedEvents(ObjectProvider<OutboxPublisher> publishers, ObjectProvider<PendingChanges> changes) {
        return new OutboxedEvents(publishers, changes);
    }

    /** The outermost decorator: the others see the event that the annotation describes. */
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    PublisherDecorator outboxedPublisher(OutboxedEvents events) {
        return (publisher) -> new OutboxedPublisher(publisher, events);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "outbox.spring-events.enabled", matchIfMissing = true)
    OutboxedEventListener outboxedEventListener(
            OutboxedEvents events, ObjectProvider<UnmarkedEvents> unmarked, HandledPayloads handlers) {
        return new OutboxedEventListener(events, unmarked, handlers);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "outbox.spring-events.enabled", matchIfMissing = true)
    MulticasterCheck outboxMulticasterCheck(ApplicationContext context) {
        return new MulticasterCheck(context);
    }

    /** Flushes the persistence context before the version of an entity is read. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({EntityManagerFactory.class, EntityManagerHolder.class})
    static class Jpa {

        @Bean
        PendingChanges outboxPersistenceContexts(ObjectProvider<EntityManagerFactory> factories) {
            return new PersistenceContexts(factories);
        }
    }
}
