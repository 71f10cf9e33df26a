package dev.outbox.spring.autoconfigure.tracing;

import static dev.outbox.spring.autoconfigure.tracing.Traced.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerInterceptor;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.tracing.Tenants.Tenant;
import dev.outbox.testing.TestDatabase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

class OutboxTracingAutoConfigurationTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @ParameterizedTest
    @ValueSource(strings = {"io.micrometer.tracing", "io.micrometer", "org.springframework.boot.actuate"})
    void isNotLoadedWithoutTracingOnClassPath(String missing) {
        Applications.on(database)
                .withClassLoader(new FilteredClassLoader(missing))
                .run(OutboxTracingAutoConfigurationTest::assertUntraced);
    }

    @Test
    void isNotLoadedWithoutObservationRegistry() {
        Applications.on(database).run(OutboxTracingAutoConfigurationTest::assertUntraced);
    }

    @Test
    void canBeDisabledAsEveryObservation() {
        Traced.on(database)
                .withPropertyValues("management.observations.enable.outbox=false")
                .run((context) -> assertThat(
                                new Traced(context).publish(order(1)).headers())
                        .isEmpty());
    }

    private static void assertUntraced(AssertableApplicationContext context) {
        assertThat(context)
                .hasNotFailed()
                .hasSingleBean(OutboxPublisher.class)
                .doesNotHaveBean(OutboxTracingAutoConfiguration.class)
                .doesNotHaveBean("outboxObservedPublisher")
                .doesNotHaveBean(HandlerInterceptor.class);
        assertThat(new Traced(context).publish(order(1)).headers()).isEmpty();
    }

    @Test
    void registryWithoutTracerOnlyObserves() {
        List<String> handled = new CopyOnWriteArrayList<>();
        Applications.on(database)
                .withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("mail", Set.of("*"), (event) -> handled.add(event.aggregateId())))
                .run((context) -> {
                    assertThat(context)
                            .hasBean("outboxObservedPublisher")
                            .doesNotHaveBean(HandleTracingObservationHandler.class);
                    assertThat(context.getBean(ObservationRegistry.class)).isNotNull();

                    assertThat(new Traced(context).publish(order(1)).headers()).isEmpty();
                    await().until(() -> handled.contains("1"));
                });
    }

    @Test
    void publisherOfApplicationStays() {
        OutboxPublisher own = mock(OutboxPublisher.class);
        Traced.on(database)
                .withBean(OutboxPublisher.class, () -> own)
                .run((context) ->
                        assertThat(context.getBean(OutboxPublisher.class)).isSameAs(own));
    }

    @Test
    void interceptorsCarryTenantInTheirOrderInsideTheSpan() {
        List<String> seen = new CopyOnWriteArrayList<>();
        HandlerDefinition mail =
                HandlerDefinition.of("mail", Set.of("*"), (event) -> seen.add("handler of " + Tenant.current()));
        Traced.on(database, mail)
                .withUserConfiguration(Tenants.class, Ordering.class)
                .withBean("seen", List.class, () -> seen)
                .run((context) -> {
                    Tenant.call("acme", () -> new Traced(context).publish(order(1)));
                    await().until(() -> seen.size() == 3);

                    assertThat(seen).containsExactly("outer in the span", "inner in the span", "handler of acme");
                    assertThatExceptionOfType(InvalidEventException.class)
                            .isThrownBy(() -> new Traced(context).publish(order(2)))
                            .withMessageContaining("headers contributor")
                            .withStackTraceContaining("events are published on behalf of a tenant");
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void brokenObservationBreaksNeitherPublisherNorHandler(boolean atStart) {
        List<String> handled = new CopyOnWriteArrayList<>();
        HandlerDefinition mail = HandlerDefinition.of("mail", Set.of("*"), (event) -> handled.add(event.aggregateId()));
        Traced.on(database, mail)
                .withBean("broken", ObservationHandler.class, () -> new BrokenHandler(atStart))
                .run((context) -> {
                    new Traced(context).publish(order(1));
                    new Traced(context).publish(order(1));

                    await().until(() -> handled.size() == 2);
                    await().untilAsserted(() -> assertThat(context.getBean(OutboxOperations.class)
                                    .count(DeliverySelection.all())
                                    .value())
                            .isZero());
                });
    }

    private record BrokenHandler(boolean atStart) implements ObservationHandler<Observation.Context> {

        @Override
        public void onStart(Observation.Context context) {
            breakIf(atStart);
        }

        @Override
        public void onStop(Observation.Context context) {
            breakIf(!atStart);
        }

        private static void breakIf(boolean now) {
            if (now) {
                throw new IllegalStateException("the handler of observations is broken");
            }
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Ordering {

        @Bean
        @Order(2)
        HandlerInterceptor inner(List<String> seen) {
            return noting("inner", seen);
        }

        @Bean
        @Order(1)
        HandlerInterceptor outer(List<String> seen) {
            return noting("outer", seen);
        }

        private static HandlerInterceptor noting(String name, List<String> seen) {
            return (call, chain) -> {
                seen.add(name + (MDC.get("spanId") == null ? "" : " in the span"));
                chain.proceed();
            };
        }
    }
}
