package dev.outbox.forwarding.autoconfigure;

import dev.outbox.forwarding.internal.EventMapping;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Configures what the routes to all brokers share, in an application that has an outbox. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxRuntime.class)
@EnableConfigurationProperties(OutboxForwardingProperties.class)
public final class OutboxForwardingAutoConfiguration {

    @Bean
    Forwarding outboxForwarding(
            OutboxForwardingProperties properties,
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            Environment environment,
            ObjectProvider<EventMapping> mapping) {
        return new Forwarding(
                properties,
                settings,
                dependencies,
                environment.getProperty("spring.application.name", ""),
                mapping.getIfAvailable(() -> (event) -> event));
    }

    @Bean
    static LazyInitializationExcludeFilter outboxRoutesStartEagerly() {
        return LazyInitializationExcludeFilter.forBeanTypes(RouteLifecycle.class);
    }
}
