package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.autoconfigure.OutboxProperties;
import dev.outbox.spring.autoconfigure.endpoint.OutboxEndpointAutoConfiguration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Which operations of the actuator endpoint exist, depending on the configuration. */
class EndpointAccessTest {

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    OutboxEndpointAutoConfiguration.class))
            .withUserConfiguration(Settings.class)
            .withBean(OutboxInspector.class, () -> mock(OutboxInspector.class))
            .withBean(OutboxOperations.class, () -> mock(OutboxOperations.class))
            .withBean(Replays.class, () -> mock(Replays.class))
            .withBean(ScheduledEvents.class, () -> mock(ScheduledEvents.class));

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(OutboxProperties.class)
    static class Settings {}

    @ParameterizedTest
    @CsvSource({
        "management.endpoint.outbox.access, READ_ONLY, false",
        "management.endpoint.outbox.access, UNRESTRICTED, true",
        "management.endpoints.access.default, UNRESTRICTED, true",
        "spring.application.name, any, false"
    })
    void exposedEndpointWritesIfItIsAllowed(String property, String value, boolean writes) {
        application
                .withPropertyValues("management.endpoints.web.exposure.include=outbox", property + "=" + value)
                .run((context) -> assertThat(operations(context))
                        .contains(OperationType.READ)
                        .hasSize(writes ? 2 : 1));
    }

    @Test
    void applicationWithoutActuatorHasNoEndpoint() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OutboxEndpointAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("outboxEndpoint"));
    }

    private static Set<OperationType> operations(ApplicationContext context) {
        return context.getBean(WebEndpointsSupplier.class).getEndpoints().stream()
                .filter((endpoint) -> endpoint.getEndpointId().equals(EndpointId.of("outbox")))
                .flatMap((endpoint) -> endpoint.getOperations().stream())
                .map((operation) -> operation.getType())
                .collect(Collectors.toSet());
    }
}
