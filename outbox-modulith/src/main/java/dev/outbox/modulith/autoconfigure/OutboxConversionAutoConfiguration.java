package dev.outbox.modulith.autoconfigure;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.payload.DeclaredType;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.modulith.autoconfigure.OutboxModulithProperties.Publications;
import dev.outbox.modulith.internal.ExternalizedEvents;
import dev.outbox.modulith.internal.PublicationConversion;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.modulith.events.core.EventSerializer;
import org.springframework.transaction.event.TransactionalApplicationListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Counts or converts the incomplete publications of Spring Modulith once, when the application has started. */
@AutoConfiguration(after = OutboxModulithAutoConfiguration.class)
@ConditionalOnClass(EventSerializer.class)
@ConditionalOnBean(OutboxRuntime.class)
@ConditionalOnProperty("outbox.modulith.publications")
public final class OutboxConversionAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(OutboxConversionAutoConfiguration.class);
    private static final String TABLE = "event_publication";

    @Bean
    PublicationConversion outboxPublicationConversion(
            OutboxRuntime runtime,
            EventPublicationRepository repository,
            EventSerializer serializer,
            ObjectProvider<ExternalizedEvents> externalized,
            OutboxPublisher publisher,
            AbstractApplicationContext context) {
        String schema = context.getEnvironment().getProperty("spring.modulith.events.jdbc.schema", "");
        return new PublicationConversion(
                schema.isEmpty() ? TABLE : schema + "." + TABLE,
                JdbcClient.create(runtime.dataSource()),
                repository,
                serializer,
                externalized.getIfAvailable(),
                publisher);
    }

    /** A count is a conversion that is rolled back. */
    @Bean
    ApplicationRunner outboxPublicationRunner(
            PublicationConversion conversion,
            OutboxModulithProperties properties,
            TransactionTemplate transactions,
            OutboxRuntime runtime,
            RuntimeSettings settings,
            AbstractApplicationContext context) {
        return (arguments) -> transactions.executeWithoutResult((status) -> {
            conversion.convert(kept(context), (event) -> runtime.registry().hasSubscribers(values(event, settings)));
            if (properties.publications() == Publications.COUNT) {
                status.setRollbackOnly();
                log.info("The publications were only counted; outbox.modulith.publications=convert converts them");
            }
        });
    }

    /** Listeners that are called after the commit are those whose publications Spring Modulith stores. */
    private static Set<String> kept(AbstractApplicationContext context) {
        return context.getApplicationListeners().stream()
                .filter(TransactionalApplicationListener.class::isInstance)
                .map((listener) -> ((TransactionalApplicationListener<?>) listener).getListenerId())
                .collect(Collectors.toSet());
    }

    private static Subscription values(OutboxEvent event, RuntimeSettings settings) {
        String stream = event.stream() != null
                ? event.stream()
                : settings.publisher().routing().streamOf(event.aggregateType());
        return Subscription.of(
                DeclaredType.of(event.payload().getClass()).name(), event.aggregateType(), stream, false);
    }
}
