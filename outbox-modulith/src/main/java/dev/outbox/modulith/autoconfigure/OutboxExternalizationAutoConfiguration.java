package dev.outbox.modulith.autoconfigure;

import dev.outbox.EventHeadersContributor;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.autoconfigure.OutboxForwardingAutoConfiguration;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.modulith.internal.ExternalizedEvents;
import dev.outbox.modulith.internal.ExternalizedMapping;
import dev.outbox.spring.autoconfigure.events.UnmarkedEvents;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Stores the events that Spring Modulith externalizes, and maps them when a route sends them. */
@AutoConfiguration(after = OutboxModulithAutoConfiguration.class, before = OutboxForwardingAutoConfiguration.class)
@ConditionalOnBean(ExternalizedEvents.class)
@ConditionalOnProperty(name = OutboxExternalizationAutoConfiguration.MODE, havingValue = "outbox")
public final class OutboxExternalizationAutoConfiguration {

    static final String MODE = "spring.modulith.events.externalization.mode";

    private static final String EVENTS = "org.springframework.modulith.events.";

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
                        ExternalizedMapping.CLASS, event.payload().getClass().getName());
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
                throw refused(
                        " needs Spring Modulith 2.1; this version does not have the mode",
                        "upgrade it, or mark the events @Outboxed");
            }
            if (!environment.getProperty("outbox.spring-events.enabled", Boolean.class, true)) {
                throw refused(
                        " stores Spring events, and outbox.spring-events.enabled is false",
                        "remove one of the properties");
            }
            Stream.of(beans.getBeanDefinitionNames())
                    .filter((name) -> name.startsWith(EVENTS + "namastack.") || name.startsWith(EVENTS + "jobrunr."))
                    .findFirst()
                    .ifPresent((name) -> {
                        throw refused(
                                " has a second implementation, " + name + ", which would send each event once more",
                                "remove its dependency, or outbox-modulith");
                    });
        };
    }

    private static OutboxConfigurationException refused(String problem, String remedy) {
        return new OutboxConfigurationException(MODE + "=outbox" + problem, remedy, null);
    }
}
