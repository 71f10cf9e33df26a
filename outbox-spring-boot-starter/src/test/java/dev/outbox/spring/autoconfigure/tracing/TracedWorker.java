package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.HandlerDefinition;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Worker in a JVM of its own. It prints the trace of its handler's log lines and the spans that it exports. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    ObservationAutoConfiguration.class,
    MicrometerTracingAutoConfiguration.class,
    OpenTelemetrySdkAutoConfiguration.class,
    OpenTelemetryTracingAutoConfiguration.class,
    OutboxAutoConfiguration.class,
    OutboxTracingAutoConfiguration.class
})
class TracedWorker {

    public static void main(String... arguments) {
        SpringApplication.run(TracedWorker.class, arguments);
    }

    @Bean
    HandlerDefinition mail(Environment environment) {
        boolean hangs = environment.getProperty("hangs", boolean.class, false);
        return HandlerDefinition.of("mail", Set.of("*"), (event) -> {
            System.out.println("handles in " + MDC.get("traceId"));
            if (hangs) {
                new CountDownLatch(1).await();
            }
        });
    }

    @Bean
    SpanProcessor printing() {
        return SimpleSpanProcessor.create(new PrintingExporter());
    }

    private static final class PrintingExporter implements SpanExporter {

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            spans.forEach((span) -> System.out.println(
                    "span " + span.getName() + " of " + span.getTraceId() + " in " + span.getParentSpanId()));
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }
}
