package dev.outbox.modulith.autoconfigure;

import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.modulith.internal.ExternalizedEvents;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.BrokerRouting;

/** Reads the configuration of Spring Modulith, if there is one. */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        afterName = "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration")
@ConditionalOnClass({EventExternalizationConfiguration.class, BrokerRouting.class})
@ConditionalOnBean(OutboxRuntime.class)
@EnableConfigurationProperties(OutboxModulithProperties.class)
public final class OutboxModulithAutoConfiguration {

    @Bean
    @ConditionalOnBean(EventExternalizationConfiguration.class)
    ExternalizedEvents outboxExternalizedEvents(EventExternalizationConfiguration configuration, BeanFactory beans) {
        return new ExternalizedEvents(configuration, beans);
    }
}
