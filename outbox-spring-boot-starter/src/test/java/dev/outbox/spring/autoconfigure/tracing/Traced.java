package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.TestDatabase;
import io.micrometer.tracing.BaggageInScope;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryEventPublisherBeansApplicationListener;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Application with the starter and the OpenTelemetry bridge, and what its tracer exported. */
record Traced(ApplicationContext context) {

    record OrderPlaced(int number) {}

    /** Exporter that is no bean, so that no batching processor exports to it a second time. */
    record Exported(InMemorySpanExporter exporter) {}

    static ApplicationContextRunner on(TestDatabase database, HandlerDefinition... handlers) {
        OpenTelemetryEventPublisherBeansApplicationListener.addWrapper();
        Exported exported = new Exported(InMemorySpanExporter.create());
        ApplicationContextRunner runner = Applications.on(database)
                .withInitializer((context) ->
                        context.addApplicationListener(new OpenTelemetryEventPublisherBeansApplicationListener()))
                .withConfiguration(AutoConfigurations.of(
                        ObservationAutoConfiguration.class,
                        MicrometerTracingAutoConfiguration.class,
                        OpenTelemetrySdkAutoConfiguration.class,
                        OpenTelemetryTracingAutoConfiguration.class))
                .withBean(Exported.class, () -> exported)
                .withBean(SpanProcessor.class, () -> SimpleSpanProcessor.create(exported.exporter()))
                .withPropertyValues(
                        "management.tracing.sampling.probability=1",
                        "management.tracing.baggage.remote-fields=tenant",
                        "outbox.retry.delays=0s",
                        "outbox.poller.interval=100ms");
        for (HandlerDefinition handler : handlers) {
            runner = runner.withBean(handler.id(), HandlerDefinition.class, () -> handler);
        }
        return runner;
    }

    Tracer tracer() {
        return context.getBean(Tracer.class);
    }

    List<SpanData> spans() {
        return context.getBean(Exported.class).exporter().getFinishedSpanItems();
    }

    List<SpanData> spans(String name) {
        return spans().stream().filter((span) -> span.getName().equals(name)).toList();
    }

    SpanData span(String name) {
        return spans(name).get(0);
    }

    static List<String> linkedTraces(SpanData span) {
        return span.getLinks().stream()
                .map(LinkData::getSpanContext)
                .map((linked) -> linked.getTraceId())
                .toList();
    }

    /** Returns the id of the trace. */
    String inSpan(String name, Runnable work) {
        Span span = tracer().nextSpan().name(name).start();
        Tracer.SpanInScope scope = tracer().withSpan(span);
        try {
            work.run();
        } finally {
            scope.close();
            span.end();
        }
        return span.context().traceId();
    }

    void withTenant(String tenant, Runnable work) {
        BaggageInScope scope = tracer().createBaggageInScope("tenant", tenant);
        try {
            work.run();
        } finally {
            scope.close();
        }
    }

    <T> T inTransaction(Supplier<T> work) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .execute((status) -> work.get());
    }

    EventEnvelope publish(OutboxEvent event) {
        return inTransaction(() -> context.getBean(OutboxPublisher.class).publish(event));
    }

    static OutboxEvent order(int number) {
        return OutboxEvent.of("order", Integer.toString(number), new OrderPlaced(number));
    }
}
