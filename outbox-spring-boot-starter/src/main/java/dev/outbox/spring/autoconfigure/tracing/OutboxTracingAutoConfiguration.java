package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.HandlerInterceptor;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.autoconfigure.PublisherDecorator;
import dev.outbox.spring.tracing.OutboxHandleObservationConvention;
import dev.outbox.spring.tracing.OutboxPublishObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Observes publishing and handling if the application has an observation registry and Micrometer Tracing. */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
        })
@ConditionalOnClass({ObservationRegistry.class, Tracer.class})
@ConditionalOnBean({OutboxRuntime.class, ObservationRegistry.class})
public final class OutboxTracingAutoConfiguration {

    @Bean
    @Order(0)
    PublisherDecorator outboxObservedPublisher(
            ObservationRegistry registry, ObjectProvider<OutboxPublishObservationConvention> conventions) {
        return (publisher) -> new ObservedPublisher(publisher, registry, conventions.getIfAvailable());
    }

    /** The outermost interceptor, so that the others run in the span. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    HandlerInterceptor outboxObservingInterceptor(
            ObservationRegistry registry,
            ObjectProvider<OutboxHandleObservationConvention> conventions,
            OutboxDependencies dependencies) {
        return new ObservingInterceptor(registry, conventions.getIfAvailable(), dependencies.clock());
    }

    /** Continues traces, where the application has a tracer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean({Tracer.class, Propagator.class})
    static class Continuation {

        /** Before the handler of all receivers, whose order is 1000. */
        @Bean
        @Order(900)
        HandleTracingObservationHandler outboxHandleTracingObservationHandler(Tracer tracer, Propagator propagator) {
            return new HandleTracingObservationHandler(tracer, propagator);
        }
    }
}
