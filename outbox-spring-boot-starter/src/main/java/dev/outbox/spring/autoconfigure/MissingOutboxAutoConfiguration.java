package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.OutboxRuntime;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Warns of handlers and {@code @Outboxed} events in an application that has no outbox, although {@code outbox.enabled} is true. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(OutboxRuntime.class)
public final class MissingOutboxAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(MissingOutboxAutoConfiguration.class);

    /** Runs when all beans are known. */
    @FunctionalInterface
    interface Warning extends SmartInitializingSingleton {}

    @Bean
    Warning missingOutboxWarning(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        return () -> {
            List<String> handlers = new HandlerDiscovery(beanFactory).declarations();
            if (!handlers.isEmpty()) {
                MissingOutbox missing = MissingOutbox.explain(beanFactory, environment);
                log.warn(
                        "The outbox is off and the handlers receive no events, because {}. {} Handlers: {}",
                        missing.reason(),
                        missing.action(),
                        handlers);
            }
        };
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "outbox.spring-events.enabled", matchIfMissing = true)
    MissingOutboxEvents missingOutboxEvents(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        return new MissingOutboxEvents(() -> MissingOutbox.explain(beanFactory, environment));
    }

    @Bean
    static LazyInitializationExcludeFilter missingOutboxWarnsEagerly() {
        return LazyInitializationExcludeFilter.forBeanTypes(Warning.class);
    }
}
