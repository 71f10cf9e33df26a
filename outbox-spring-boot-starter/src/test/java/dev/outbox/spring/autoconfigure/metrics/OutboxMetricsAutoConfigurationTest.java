package dev.outbox.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.CircuitBreaker;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.FreshGauges;
import dev.outbox.testing.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class OutboxMetricsAutoConfigurationTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void eventsAreCountedAndHandlersTimed() {
        withRegistry().run((context) -> {
            publish(context);

            MeterRegistry registry = context.getBean(MeterRegistry.class);
            await().ignoreException(MeterNotFoundException.class)
                    .untilAsserted(() -> assertThat(registry.get("outbox.processed")
                                    .tags("stream", "default", "handler", "count", "result", "success")
                                    .counter()
                                    .count())
                            .isOne());
            await().ignoreException(MeterNotFoundException.class)
                    .untilAsserted(() -> assertThat(
                                    registry.get("outbox.published").counter().count())
                            .isOne());
            await().ignoreException(MeterNotFoundException.class)
                    .untilAsserted(() -> assertThat(registry.get("outbox.handler.duration")
                                    .timer()
                                    .count())
                            .isOne());
        });
    }

    @Test
    void gaugesStandForEachStreamAndForEachHandlerOfAnInstanceThatPolls() {
        ApplicationContextRunner application = withRegistry().withUserConfiguration(FreshGauges.class);
        application.withPropertyValues("outbox.streams.mail.batch-size=1").run((context) -> {
            stopPolling(context);
            publish(context);

            MeterRegistry registry = context.getBean(MeterRegistry.class);
            await().untilAsserted(() -> {
                assertThat(pending(registry, "default")).isOne();
                assertThat(pending(registry, "mail")).isZero();
            });
            for (String gauge : List.of(
                    "processing",
                    "retrying",
                    "retrying.paused",
                    "dead",
                    "lanes.blocked",
                    "oldest.pending",
                    "oldest.retrying",
                    "stream.paused",
                    "handlers.stuck")) {
                assertThat(registry.get("outbox." + gauge).gauges()).hasSize(2);
            }
            for (String gauge : List.of("dead", "oldest", "paused")) {
                assertThat(registry.get("outbox.handler." + gauge)
                                .tag("handler", "count")
                                .gauges())
                        .hasSize(1);
            }
        });
        application
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) -> assertThat(context.getBean(MeterRegistry.class)
                                .find("outbox.handler.oldest")
                                .gauges())
                        .isEmpty());
    }

    @Test
    void openCircuitIsAGaugeOfItsHandler() {
        withRegistry()
                .withBean(
                        "failing",
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("failing", OrderPlaced.class, (event, envelope) -> {
                                    throw new IllegalStateException("the mail server is down");
                                })
                                .circuit(new CircuitBreaker(1, Duration.ofMinutes(1))))
                .run((context) -> {
                    publish(context);

                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    await().ignoreException(MeterNotFoundException.class)
                            .untilAsserted(() -> assertThat(registry.get("outbox.circuits.open")
                                            .tag("handler", "failing")
                                            .gauge()
                                            .value())
                                    .isOne());
                    stopPolling(context);
                    assertThat(registry.get("outbox.circuits.open").gauge().value())
                            .isZero();
                });
    }

    private ApplicationContextRunner withRegistry() {
        return Applications.on(database)
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class,
                        SimpleMetricsExportAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class))
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("count", OrderPlaced.class, (event, envelope) -> {}));
    }

    private static double pending(MeterRegistry registry, String stream) {
        return registry.get("outbox.pending").tag("stream", stream).gauge().value();
    }

    private static void stopPolling(ApplicationContext context) {
        context.getBean(OutboxRuntime.class).close();
    }

    private static void publish(ApplicationContext context) {
        Applications.inTransaction(context, (outbox) -> outbox.publish("order", "1", new OrderPlaced(1)));
    }

    record OrderPlaced(int number) {}
}
