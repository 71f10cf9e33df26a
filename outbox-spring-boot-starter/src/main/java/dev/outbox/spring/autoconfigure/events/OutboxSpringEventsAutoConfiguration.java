package dev.outbox.spring.autoconfigure.events;

import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import jakarta.persistence.EntityManagerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.EntityManagerHolder;

/** Publishes Spring events of classes marked {@link dev.outbox.Outboxed} to the outbox. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxRuntime.class)
@ConditionalOnBooleanProperty(name = "outbox.spring-events.enabled", matchIfMissing = true)
public final class OutboxSpringEventsAutoConfiguration {

    @Bean
    OutboxedEvents outboxedEvents(ObjectProvider<OutboxPublisher> publishers, ObjectProvider<PendingChanges> changes) {
        return new OutboxedEvents(publishers, changes);
    }

    @Bean
    OutboxedEventListener outboxedEventListener(OutboxedEvents events, ApplicationContext context) {
        return new OutboxedEventListener(events, new StoredInChild(context));
    }

    @Bean
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
