package dev.outbox.messaging.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.autoconfigure.OutboxForwardingAutoConfiguration;
import dev.outbox.forwarding.autoconfigure.RouteLifecycle;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.messaging.MessageChannel;

@ExtendWith(OutputCaptureExtension.class)
class OutboxChannelAutoConfigurationTest {

    private static TestDatabase database;

    @BeforeAll
    static void createDatabase() {
        database = TestPostgres.shared().newDatabase();
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
    }

    @Test
    void withoutRouteNothingIsCreated() {
        application()
                .run((context) -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RouteLifecycle.class)
                        .doesNotHaveBean(HandlerDefinition.class));
    }

    @Test
    void routeBecomesHandler(CapturedOutput output) {
        withRoute().withPropertyValues("spring.main.lazy-initialization=true").run((context) -> {
            assertThat(context.getBean(HandlerDefinition.class)).satisfies((handler) -> {
                assertThat(handler.id()).isEqualTo("channel-orders");
                assertThat(handler.eventTypes()).containsExactly("OrderPlaced");
                assertThat(handler.onDead()).isEqualTo(OnDead.BLOCK);
                assertThat(handler.aliases()).containsExactly("channel-purchases");
            });
            assertThat(context.getBean(RouteLifecycle.class).isRunning()).isTrue();
            assertThat(output).contains("Forwarding events to message channels: orders to channel toBroker");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "channel, .channel is not set; name the MessageChannel bean",
        "confirmation, .confirmation is not set; no class tells whether the send method of a channel returns after the hand-over",
        "acknowledgements, .acknowledgements is not set; name the channels"
    })
    void routeThatSaysTooLittleFailsTheStart(String missing, String message) {
        withRoute()
                .withPropertyValues(
                        "outbox.channel.routes.orders.confirmation=acknowledgement",
                        "outbox.channel.routes.orders.acknowledgements=reports",
                        "outbox.channel.routes.orders." + missing + "=")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("outbox.channel.routes.orders" + message));
    }

    @Test
    void acknowledgementsThatNothingAwaitsFailTheStart() {
        withRoute()
                .withPropertyValues("outbox.channel.routes.orders.acknowledgements=reports")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining(
                                "outbox.channel.routes.orders.confirmation is synchronous, so nothing awaits"));
    }

    @Test
    void channelThatCannotBeSynchronousFailsTheStart() {
        application()
                .withBean("toBroker", MessageChannel.class, QueueChannel::new)
                .withPropertyValues(routeProperties())
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("channel toBroker is a QueueChannel"));
    }

    @Test
    void routeUnknownToAheadOfTimeProcessingFailsTheStart() {
        withRoute()
                .withBean(
                        BeanDefinitionRegistryPostProcessor.class,
                        () -> (registry) -> registry.removeBeanDefinition("outboxChannelRoute.orders"))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("outbox.channel.routes.orders was not set when"));
    }

    @Test
    void startsWithoutSpringIntegration() {
        withRoute()
                .withClassLoader(new FilteredClassLoader("org.springframework.integration"))
                .run((context) -> assertThat(context).hasNotFailed().hasSingleBean(RouteLifecycle.class));
    }

    @Test
    void routeNeedsSpringMessaging() {
        application()
                .withPropertyValues(routeProperties())
                .withClassLoader(new FilteredClassLoader("org.springframework.messaging"))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessage(
                                "outbox.channel.routes needs Spring Messaging, which this application does not have;"
                                        + " add org.springframework.boot:spring-boot-starter-integration"));
    }

    @Test
    void startsWithoutSpringMessaging() {
        application()
                .withClassLoader(new FilteredClassLoader("org.springframework.messaging"))
                .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void backsOffWithoutOutbox() {
        withRoute()
                .withPropertyValues("outbox.enabled=false")
                .run((context) ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(OutboxChannelAutoConfiguration.class));
    }

    private static ApplicationContextRunner withRoute() {
        return application()
                .withBean("toBroker", MessageChannel.class, () -> (message, timeout) -> true)
                .withPropertyValues(routeProperties());
    }

    private static String[] routeProperties() {
        return new String[] {
            "outbox.channel.routes.orders.event-types=OrderPlaced",
            "outbox.channel.routes.orders.channel=toBroker",
            "outbox.channel.routes.orders.confirmation=synchronous",
            "outbox.channel.routes.orders.aliases=purchases"
        };
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        OutboxForwardingAutoConfiguration.class,
                        OutboxChannelAutoConfiguration.class))
                .withPropertyValues(
                        "spring.application.name=shop",
                        "outbox.forwarding.source=/shop",
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "spring.datasource.hikari.maximum-pool-size=5");
    }
}
