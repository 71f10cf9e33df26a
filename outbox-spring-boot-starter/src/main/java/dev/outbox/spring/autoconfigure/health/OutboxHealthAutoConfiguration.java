package dev.outbox.spring.autoconfigure.health;

import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.internal.HealthDetails;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Contributes the outbox to the application's health, as {@code outbox}. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(OutboxRuntime.class)
@ConditionalOnEnabledHealthIndicator("outbox")
public final class OutboxHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "outboxHealthIndicator")
    OutboxHealthIndicator outboxHealthIndicator(
            OutboxRuntime runtime,
            RuntimeSettings settings,
            QueueGauges gauges,
            ObjectProvider<HealthDetails> modules) {
        return new OutboxHealthIndicator(runtime, settings.polling(), gauges, modules);
    }
}
