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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

/** Routes that start, and those that do not. No broker runs. */
class RabbitRoutesTest {

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
    void routeBecomesHandler() {
        withRoute()
                .withPropertyValues(
                        "outbox.rabbit.routes.orders.aliases=purchases", "spring.main.lazy-initialization=true")
                .run((context) -> {
                    assertThat(context.getBean(HandlerDefinition.class)).satisfies((handler) -> {
                        assertThat(handler.id()).isEqualTo("rabbit-orders");
                        assertThat(handler.eventTypes()).containsExactly("OrderPlaced");
                        assertThat(handler.onDead()).isEqualTo(OnDead.BLOCK);
                        assertThat(handler.aliases()).containsExactly("rabbit-purchases");
                    });
                    assertThat(context.getBean(RouteLifecycle.class).isRunning())
                            .isTrue();
                });
    }

    @Test
    void nothingIsCreatedWithoutRoute() {
        application()
                .run((context) -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RouteLifecycle.class)
                        .doesNotHaveBean(HandlerDefinition.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            spring.rabbitmq.publisher-confirm-type=none     | set spring.rabbitmq.publisher-confirm-type=correlated
            spring.rabbitmq.publisher-confirm-type=simple   | set spring.rabbitmq.publisher-confirm-type=correlated
            spring.rabbitmq.publisher-returns=false         | set spring.rabbitmq.publisher-returns=true
            outbox.rabbit.routes.b.event-types=OrderPlaced  | outbox.rabbit.routes.b.exchange is not set
            outbox.rabbit.routes.b.exchange=orders          | set outbox.rabbit.routes.b.event-types
            outbox.rabbit.routes.orders.routing-key={order} | the placeholders are {aggregateId}, {aggregateType} and {eventType}
            outbox.rabbit.routes.orders.routing-key=${eventType} | the placeholders are {aggregateId}, {aggregateType} and {eventType}
            outbox.rabbit.routes.orders.exchange={eventType} | the only placeholder is {aggregateType}
            outbox.rabbit.template=other                    | outbox.rabbit.template names the bean other, which does not exist; declare a RabbitTemplate with this name, or correct the property
            outbox.rabbit.template=dataSource               | outbox.rabbit.template names the bean dataSource, which is a com.zaxxer.hikari.HikariDataSource; name a RabbitTemplate
            """)
    void startFails(String property, String message) {
        withRoute()
                .withPropertyValues(property)
                .run((context) -> assertThat(context).getFailure().hasStackTraceContaining(message));
    }

    @Test
    void transactionalTemplateIsRefused() {
        withRoute()
                .withBean(RabbitTemplateCustomizer.class, () -> (template) -> template.setChannelTransacted(true))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("name another one in outbox.rabbit.template"));
    }

    @Test
    void oneOfSeveralTemplatesMustBeNamed() {
        withRoute()
                .withBean("one", RabbitTemplate.class, () -> new RabbitTemplate(new CachingConnectionFactory()))
                .withBean("two", RabbitTemplate.class, () -> new RabbitTemplate(new CachingConnectionFactory()))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(
                                "outbox.rabbit.routes needs one RabbitTemplate, and this application has"
                                        + " several: [one, two]; name one in outbox.rabbit.template"));
    }

    @Test
    void namedTemplateIsUsed() {
        withRoute()
                .withBean("plain", RabbitTemplate.class, () -> new RabbitTemplate(new CachingConnectionFactory()))
                .withBean("other", RabbitTemplate.class, () -> {
                    CachingConnectionFactory connections = new CachingConnectionFactory();
                    connections.setPublisherConfirmType(ConfirmType.CORRELATED);
                    connections.setPublisherReturns(true);
                    return new RabbitTemplate(connections);
                })
                .withPropertyValues("outbox.rabbit.template=other")
                .run((context) -> assertThat(context).hasSingleBean(RouteLifecycle.class));
    }

    @Test
    void routeUnknownToAheadOfTimeProcessingFailsTheStart() {
        withRoute()
                .withBean(
                        BeanDefinitionRegistryPostProcessor.class,
                        () -> (registry) -> registry.removeBeanDefinition("outboxRabbitRoute.orders"))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("outbox.rabbit.routes.orders was not set when"));
    }

    @Test
    void routeNeedsSpringAmqp() {
        withRoute()
                .withClassLoader(new FilteredClassLoader("org.springframework.amqp", "com.rabbitmq"))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("add org.springframework.boot:spring-boot-starter-amqp"));
    }

    private static ApplicationContextRunner withRoute() {
        return application()
                .withPropertyValues(
                        "outbox.forwarding.source=/shop",
                        "spring.rabbitmq.publisher-confirm-type=correlated",
                        "spring.rabbitmq.publisher-returns=true",
                        "outbox.rabbit.routes.orders.event-types=OrderPlaced",
                        "outbox.rabbit.routes.orders.exchange=orders");
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        RabbitAutoConfiguration.class,
                        OutboxForwardingAutoConfiguration.class,
                        OutboxRabbitAutoConfiguration.class))
                .withPropertyValues(
                        "spring.application.name=shop",
                        "spring.rabbitmq.port=1",
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "spring.datasource.hikari.maximum-pool-size=5");
    }
}
