package dev.outbox.spring.autoconfigure;

import dev.outbox.Outboxed;
import dev.outbox.internal.runtime.OutboxRuntime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;

/** Warns of handlers and {@code @Outboxed} events in an application that has no outbox, unless {@code outbox.enabled} is false. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnMissingBean(OutboxRuntime.class)
public final class MissingOutboxAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(MissingOutboxAutoConfiguration.class);

    @Bean
    Warnings missingOutboxWarnings(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        return new Warnings(beanFactory, environment);
    }

    @Bean
    static LazyInitializationExcludeFilter missingOutboxWarnsEagerly() {
        return LazyInitializationExcludeFilter.forBeanTypes(Warnings.class);
    }

    /** Warns of handlers when all beans are known, and once for each class of Spring events that an outbox would store. */
    static final class Warnings implements SmartInitializingSingleton, ApplicationListener<PayloadApplicationEvent<?>> {

        private final ConfigurableListableBeanFactory beanFactory;
        private final Environment environment;
        private final Map<Class<?>, Boolean> seen = new ConcurrentHashMap<>();

        Warnings(ConfigurableListableBeanFactory beanFactory, Environment environment) {
            this.beanFactory = beanFactory;
            this.environment = environment;
        }

        @Override
        public void afterSingletonsInstantiated() {
            List<String> handlers = new HandlerDiscovery(beanFactory).declarations();
            if (handlers.isEmpty()) {
                return;
            }
            if (MissingOutbox.isFalse(environment)) {
                log.info("outbox.enabled is false, so these handlers receive no events: {}", handlers);
            } else {
                MissingOutbox missing = MissingOutbox.explain(beanFactory, environment);
                log.warn(
                        "The outbox is off and the handlers receive no events, because {}. {} Handlers: {}",
                        missing.reason(),
                        missing.action(),
                        handlers);
            }
        }

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<?> event) {
            Class<?> type = event.getPayload().getClass();
            if (!MissingOutbox.isFalse(environment)
                    && !seen.containsKey(type)
                    && seen.putIfAbsent(type, true) == null
                    && MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)
                            .isPresent(Outboxed.class)
                    && environment.getProperty("outbox.spring-events.enabled", Boolean.class, true)) {
                MissingOutbox missing = MissingOutbox.explain(beanFactory, environment);
                log.warn(
                        "This context has no outbox and stores no Spring events of {}, because {}. {}",
                        type.getName(),
                        missing.reason(),
                        missing.action());
            }
        }
    }
}
