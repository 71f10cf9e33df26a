package dev.outbox.spring.autoconfigure.metrics;

import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Registers the meters of the outbox if the application has one meter registry. */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(OutboxRuntime.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
public final class OutboxMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    OutboxMeters outboxMeters(MeterRegistry registry, ObjectProvider<OutboxRuntime> runtime) {
        return new OutboxMeters(registry, () -> runtime.getObject().openCircuits());
    }

    @Bean
    MeterBinder outboxStreamMeterBinder(RuntimeSettings settings, QueueGauges gauges, OutboxRuntime runtime) {
        return (registry) -> {
            OutboxMeters.registerDatabase(registry, gauges);
            settings.polling()
                    .streams()
                    .keySet()
                    .forEach((stream) -> OutboxMeters.register(
                            registry,
                            stream,
                            gauges,
                            () -> runtime.runningHandlers().stuck(stream).size()));
            if (runtime.polls()) {
                runtime.eventTypesByHandler()
                        .keySet()
                        .forEach((handler) -> OutboxMeters.registerHandler(registry, handler, gauges));
            }
        };
    }
}
