package dev.outbox.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.OnDead;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.autoconfigure.OutboxForwardingAutoConfiguration;
import dev.outbox.forwarding.autoconfigure.RouteLifecycle;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

@ExtendWith(OutputCaptureExtension.class)
class OutboxKafkaAutoConfigurationTest {

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
    void withoutRouteOrInboxOneLineIsLoggedAndNothingCreated(CapturedOutput output) {
        application().run((context) -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(RouteLifecycle.class);
            assertThat(context).doesNotHaveBean(HandlerDefinition.class).doesNotHaveBean(Producer.class);
            assertThat(output).containsOnlyOnce("Neither outbox.kafka.routes nor outbox.kafka.inboxes is set");
        });
    }

    @Test
    void routeBecomesHandlerAndLeavesProducersOfApplicationAlone() {
        withRoute().withPropertyValues("spring.main.lazy-initialization=true").run((context) -> {
            assertThat(context.getBean(HandlerDefinition.class)).satisfies((handler) -> {
                assertThat(handler.id()).isEqualTo("kafka-orders");
                assertThat(handler.eventTypes()).containsExactly("OrderPlaced");
                assertThat(handler.onDead()).isEqualTo(OnDead.BLOCK);
                assertThat(handler.aliases()).containsExactly("kafka-purchases");
            });
            assertThat(context).hasSingleBean(ProducerFactory.class).hasSingleBean(KafkaTemplate.class);
            assertThat(context.getBean(RouteLifecycle.class).isRunning()).isTrue();
        });
    }

    @Test
    void routeUnknownToAheadOfTimeProcessingFailsTheStart() {
        withRoute()
                .withBean(
                        BeanDefinitionRegistryPostProcessor.class,
                        () -> (registry) -> registry.removeBeanDefinition("outboxKafkaRoute.orders"))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("outbox.kafka.routes.orders was not set when"));
    }

    @Test
    void backsOffWithoutSpringKafka() {
        application()
                .withClassLoader(new FilteredClassLoader("org.springframework.kafka", "org.apache.kafka"))
                .run((context) ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(OutboxKafkaAutoConfiguration.class));
    }

    @Test
    void inboxWithoutOperationsFailsTheStart() {
        assertInboxFailsTheStart(application().withClassLoader(new FilteredClassLoader("dev.outbox.operations")));
    }

    @Test
    void inboxWithTheModuleButWithoutItsBeansFailsTheStart() {
        assertInboxFailsTheStart(new ApplicationContextRunner()
                .withUserConfiguration(ExcludesOperations.class)
                .withBean(DataSource.class, database::dataSource)
                .withPropertyValues("spring.application.name=shop", "spring.kafka.bootstrap-servers=localhost:1"));
    }

    @EnableAutoConfiguration(exclude = OutboxOperationsAutoConfiguration.class)
    static class ExcludesOperations {}

    private static void assertInboxFailsTheStart(ApplicationContextRunner application) {
        application
                .withPropertyValues("outbox.kafka.inboxes.shop.topics=orders", "outbox.kafka.inboxes.shop.group=shop")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("add dev.outbox:outbox-operations"));
    }

    @Test
    void backsOffWithoutOutbox() {
        withRoute()
                .withPropertyValues("outbox.enabled=false")
                .run((context) ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(OutboxKafkaAutoConfiguration.class));
    }

    @Test
    void mistypedPropertyIsReported(CapturedOutput output) {
        withRoute()
                .withPropertyValues(
                        "outbox.forwarding.sorce=/shop",
                        "outbox.kafka.routes.orders.event-typs=OrderPlaced",
                        "outbox.kafka.producer.properties.schema.reflection=true")
                .run((context) -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("Property outbox.forwarding.sorce is unknown and has no effect; did you mean"
                                    + " outbox.forwarding.source?")
                            .contains(
                                    "Property outbox.kafka.routes.orders.event-typs is unknown and has no effect; did you"
                                            + " mean outbox.kafka.routes.orders.event-types?")
                            .doesNotContain("Property outbox.kafka.producer");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "inboxes.y.topic=a, inboxes.y.topics is not set, inboxes.y.topic, inboxes.y.topics, Name the topics",
        "inboxes.y.topics=a;inboxes.y.gruop=b, inboxes.y.group is not set, inboxes.y.gruop, inboxes.y.group, Name the consumer",
        "routes.x.topik=a, routes.x selects no events, routes.x.topik, routes.x.topic, Set outbox.kafka.routes.x.event-types",
        "routes.x.streams=default;routes.x.topik=a, routes.x.topic is not set, routes.x.topik, routes.x.topic, Name the topic"
    })
    void failedStartNamesMistypedProperty(
            String properties, String problem, String typed, String meant, String action, CapturedOutput output) {
        assertThatThrownBy(() -> start(properties)).isInstanceOf(BeansException.class);

        assertThat(output)
                .containsSubsequence(
                        "APPLICATION FAILED TO START",
                        "Description:\n\noutbox.kafka." + problem + ".\n\n",
                        "Property outbox.kafka." + typed + " is unknown and has no effect; did you mean outbox.kafka."
                                + meant + "?",
                        "Action:\n\n" + action);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {}

    private static void start(String properties) {
        try (ConfigurableApplicationContext shop = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.kafka.bootstrap-servers=localhost:1",
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "outbox.forwarding.source=/shop")
                .properties(Stream.of(properties.split(";"))
                        .map("outbox.kafka."::concat)
                        .toArray(String[]::new))
                .run()) {
            assertThat(shop.isActive()).as("started").isFalse();
        }
    }

    @Test
    void processesOfAServiceHaveOneSource() {
        withRoute().run((web) -> assertThat(web).hasNotFailed());
        ApplicationContextRunner worker = withRoute().withPropertyValues("outbox.forwarding.source=/store");
        worker.run((context) -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(
                        "outbox.forwarding.source is /store, but this service forwards its events as /shop"));

        withRoute().run((web) -> renameService(web, "/shop", "/store"));
        worker.run((context) -> {
            assertThat(context).hasNotFailed();
            renameService(context, "/store", "/shop");
        });
    }

    @ParameterizedTest
    @CsvSource({"warehouse, true", "shop, false"})
    void topicThatAnotherApplicationReceivesIsReported(String application, boolean reported, CapturedOutput output) {
        withInbox("a", "orders").run((shop) -> {
            await().until(() -> JdbcClient.create(shop.getBean(DataSource.class))
                            .sql("SELECT count(*) FROM events.outbox_instance WHERE topics = '{orders}'")
                            .query(Long.class)
                            .single()
                    == 1);
            withInbox("b", "orders")
                    .withPropertyValues("spring.application.name=" + application)
                    .run((other) -> assertThat(other).hasNotFailed());
        });

        assertThat(output.toString().split("Applications warehouse and shop both have an inbox of the topic orders"))
                .hasSize(reported ? 2 : 1);
    }

    private static ApplicationContextRunner withInbox(String name, String topic) {
        return application()
                .withPropertyValues(
                        "outbox.kafka.inboxes." + name + ".topics=" + topic,
                        "outbox.kafka.inboxes." + name + ".group=" + name);
    }

    private static void renameService(ApplicationContext context, String from, String to) {
        JdbcClient.create(context.getBean(DataSource.class))
                .sql("UPDATE events.outbox_aggregate_type SET origin = ? WHERE origin = ?")
                .params(to, from)
                .update();
    }

    private static ApplicationContextRunner withRoute() {
        return application()
                .withPropertyValues(
                        "outbox.forwarding.source=/shop",
                        "outbox.kafka.routes.orders.event-types=OrderPlaced",
                        "outbox.kafka.routes.orders.topic=orders",
                        "outbox.kafka.routes.orders.aliases=purchases");
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        OutboxOperationsAutoConfiguration.class,
                        KafkaAutoConfiguration.class,
                        OutboxForwardingAutoConfiguration.class,
                        OutboxKafkaAutoConfiguration.class))
                .withPropertyValues(
                        "spring.application.name=shop",
                        "spring.kafka.bootstrap-servers=localhost:1",
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "spring.datasource.hikari.maximum-pool-size=5");
    }
}
