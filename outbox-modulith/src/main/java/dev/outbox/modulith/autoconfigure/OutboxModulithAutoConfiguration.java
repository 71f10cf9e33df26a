package dev.outbox.modulith.autoconfigure;

import dev.outbox.EventHeadersContributor;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.modulith.autoconfigure.OutboxModulithProperties.Publications;
import dev.outbox.modulith.internal.DoubleDeliveries;
import dev.outbox.modulith.internal.ExternalizedEvents;
import dev.outbox.modulith.internal.ExternalizedMapping;
import dev.outbox.modulith.internal.ModuleListeners;
import dev.outbox.modulith.internal.PublicationConversion;
import dev.outbox.spring.autoconfigure.HandledPayloads;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.autoconfigure.events.UnmarkedEvents;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.modulith.events.core.EventSerializer;
import org.springframework.modulith.events.support.CompletionRegisteringAdvisor;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Delivers, externalizes and converts the events of a Spring Modulith application. */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        afterName = "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration")
@ConditionalOnClass({EventExternalizationConfiguration.class, CompletionRegisteringAdvisor.class})
@ConditionalOnBean(OutboxRuntime.class)
@EnableConfigurationProperties(OutboxModulithProperties.class)
public final class OutboxModulithAutoConfiguration {

    private static final String MODE = "spring.modulith.events.externalization.mode";
    private static final String EVENTS = "org.springframework.modulith.events.";

    /** Listeners need the annotated events also if their externalization is disabled. */
    @Bean
    ExternalizedEvents outboxExternalizedEvents(
            ObjectProvider<EventExternalizationConfiguration> configuration, BeanFactory beans) {
        return new ExternalizedEvents(
                configuration.getIfAvailable(() -> EventExternalizationConfiguration.externalizing()
                        .select(EventExternalizationConfiguration.annotatedAsExternalized())
                        .build()),
                beans);
    }

    private static void requireSpringEvents(Environment environment, String property) {
        if (!environment.getProperty("outbox.spring-events.enabled", Boolean.class, true)) {
            throw new OutboxConfigurationException(
                    property + " needs Spring events, and outbox.spring-events.enabled is false",
                    "remove one of the properties",
                    null);
        }
    }

    /** Turns Spring Modulith's listeners of stored events into handlers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "outbox.modulith.listeners")
    static class Listeners {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static ModuleListeners outboxModuleListeners(BeanFactory beans, Environment environment) {
            requireSpringEvents(environment, "outbox.modulith.listeners=true");
            return new ModuleListeners(beans);
        }

        @Bean
        UnmarkedEvents outboxEventsOfModuleListeners(ModuleListeners listeners, ExternalizedEvents events) {
            return (event) -> listeners.adopted(event.getClass()) ? events.read(event) : null;
        }

        @Bean
        DoubleDeliveries outboxDoubleDeliveries(
                ModuleListeners listeners, HandledPayloads handlers, ListableBeanFactory beans) {
            return new DoubleDeliveries(listeners, handlers, beans);
        }
    }

    /** Stores the events that Spring Modulith externalizes, and maps them when a route sends them. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(EventExternalizationConfiguration.class)
    @ConditionalOnProperty(name = MODE, havingValue = "outbox")
    static class Externalization {

        @Bean
        UnmarkedEvents outboxEventsToExternalize(ExternalizedEvents events) {
            return (event) -> events.supports(event) ? events.read(event) : null;
        }

        /** Names the class also of events that are stored because of {@code @Outboxed}, or by a call of the publisher. */
        @Bean
        EventHeadersContributor outboxClassOfExternalizedEvents(ExternalizedEvents events) {
            return (event, headers) -> {
                if (events.supports(event.payload())) {
                    headers.put(
                            ExternalizedMapping.CLASS,
                            event.payload().getClass().getName());
                }
            };
        }

        @Bean
        ExternalizedMapping outboxExternalizedMapping(
                EventExternalizationConfiguration configuration,
                ExternalizedEvents events,
                OutboxDependencies dependencies) {
            return new ExternalizedMapping(
                    configuration,
                    events,
                    dependencies.mapper(),
                    SingletonSupplier.of(() -> new PayloadReader(
                            dependencies.mapper(),
                            dependencies.extensions().upcasters().get().toList())));
        }

        @Bean
        static ExternalizedHints outboxExternalizedHints() {
            return new ExternalizedHints();
        }

        /** Fails the start if events would be lost, or stored and sent twice. */
        @Bean
        static BeanFactoryPostProcessor outboxExternalizationCheck(Environment environment) {
            return (beans) -> {
                if (!ClassUtils.isPresent(EVENTS + "ExternalizationMode", beans.getBeanClassLoader())) {
                    throw new OutboxConfigurationException(
                            MODE + "=outbox needs Spring Modulith 2.1; this version does not have the mode",
                            "upgrade it, or mark the events @Outboxed",
                            null);
                }
                requireSpringEvents(environment, MODE + "=outbox");
                Stream.of(beans.getBeanDefinitionNames())
                        .filter((name) ->
                                name.startsWith(EVENTS + "namastack.") || name.startsWith(EVENTS + "jobrunr."))
                        .findFirst()
                        .ifPresent((name) -> {
                            throw new OutboxConfigurationException(
                                    MODE + "=outbox has a second implementation, " + name
                                            + ", which would send each event once more",
                                    "remove its dependency, or outbox-modulith",
                                    null);
                        });
            };
        }
    }

    /** Counts or converts the incomplete publications of Spring Modulith once, when the application has started. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty("outbox.modulith.publications")
    static class Conversion {

        @Bean
        PublicationConversion outboxPublicationConversion(
                OutboxModulithProperties properties,
                TransactionTemplate transactions,
                AbstractApplicationContext context,
                EventPublicationRepository repository,
                EventSerializer serializer,
                ExternalizedEvents externalized,
                OutboxPublisher publisher,
                OutboxRuntime runtime,
                RuntimeSettings settings) {
            return new PublicationConversion(
                    properties.publications() == Publications.COUNT,
                    transactions,
                    context,
                    repository,
                    serializer,
                    externalized,
                    publisher,
                    runtime,
                    settings.publisher().routing());
        }
    }
}
