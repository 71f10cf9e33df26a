package dev.outbox.messaging.rabbit;

import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.internal.HealthDetails;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Service that forwards its events to the broker of the tests. */
final class Shop implements AutoCloseable {

    static final int MAX_ATTEMPTS = 3;

    private static final Duration DEADLINE = Duration.ofMinutes(1);

    private final TestDatabase database;
    private final ConfigurableApplicationContext application;

    private Shop(TestDatabase database, ConfigurableApplicationContext application) {
        this.database = database;
        this.application = application;
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        /** Refuses messages with the header "refused", as a processor with a mistake does. */
        @Bean
        RabbitTemplateCustomizer processor() {
            return (template) -> template.setBeforePublishPostProcessors((message) -> {
                if (message.getMessageProperties().getHeaders().containsKey("refused")) {
                    throw new IllegalStateException("the schema is not there yet");
                }
                message.getMessageProperties().setHeader("processed", "yes");
                return message;
            });
        }
    }

    /** Starts it with routes such as {@code orders.exchange=orders}. */
    static Shop start(String... routes) {
        return startWith(Application.class, routes);
    }

    /** Starts it with a broker that it reaches on a port. */
    static Shop startOn(int port, String... routes) {
        return start(Application.class, port, routes);
    }

    /** Starts it with more beans. */
    static Shop startWith(Class<?> beans, String... routes) {
        return start(beans, TestRabbit.BROKER.port(), routes);
    }

    private static Shop start(Class<?> beans, int port, String... routes) {
        TestDatabase database = TestPostgres.shared().newDatabase();
        return new Shop(
                database,
                new SpringApplicationBuilder(Application.class, beans)
                        .web(WebApplicationType.NONE)
                        .run(Stream.concat(
                                        Stream.of(
                                                "--spring.application.name=shop",
                                                "--outbox.forwarding.source=/shop",
                                                "--spring.datasource.url=" + database.jdbcUrl(),
                                                "--spring.datasource.username=" + database.username(),
                                                "--spring.datasource.password=" + database.password(),
                                                "--spring.rabbitmq.port=" + port,
                                                "--spring.rabbitmq.publisher-confirm-type=correlated",
                                                "--spring.rabbitmq.publisher-returns=true",
                                                "--outbox.retry.delays=100ms",
                                                "--outbox.retry.max-attempts=" + MAX_ATTEMPTS,
                                                "--outbox.poller.interval=200ms"),
                                        Stream.of(routes).map((property) -> "--outbox.rabbit.routes." + property))
                                .toArray(String[]::new)));
    }

    List<EventEnvelope> publish(OutboxEvent... events) {
        OutboxPublisher publisher = bean(OutboxPublisher.class);
        return application
                .getBean(TransactionTemplate.class)
                .execute((status) -> publisher.publishAll(List.of(events)));
    }

    /** Publishes events of so many aggregates, each of which gets so many. */
    void publish(String aggregateType, int aggregates, int each) {
        publish(IntStream.range(0, aggregates * each)
                .mapToObj((number) -> event(aggregateType, aggregateType + "-" + number % aggregates, "text"))
                .toArray(OutboxEvent[]::new));
    }

    static OutboxEvent event(String aggregateType, String aggregateId, String text) {
        return OutboxEvent.of(aggregateType, aggregateId, Map.of("text", text)).withEventType("OrderPlaced");
    }

    /** Waits until every event of some aggregates, with a pattern of SQL, is handled. */
    void awaitHandled(String aggregateType, String aggregateIds) {
        await().atMost(DEADLINE)
                .until(() -> application
                        .getBean(JdbcClient.class)
                        .sql("""
                        SELECT NOT EXISTS (
                          SELECT FROM events.outbox
                           WHERE aggregate_type = ? AND aggregate_id LIKE ? AND status <> 'PUBLISHED')
                        """)
                        .params(aggregateType, aggregateIds)
                        .query(Boolean.class)
                        .single());
    }

    /** Waits until the health names a fault. */
    void awaitFault(String text) {
        await().atMost(DEADLINE).until(() -> health().contains(text));
    }

    /** Waits until the health names no fault. */
    void awaitHealth() {
        await().atMost(DEADLINE).until(() -> !health().contains("failingRoutes"));
    }

    /** Waits until a delivery of a handler waits for its outcome, or has failed. */
    void awaitSent(String handler) {
        await().atMost(DEADLINE)
                .until(() -> operations()
                                .count(DeliverySelection.all().ofHandler(handler))
                                .value()
                        > 0);
    }

    /** Waits until a delivery of a handler has failed in some way. */
    void awaitFailure(String handler, String text) {
        await().atMost(DEADLINE)
                .until(() -> operations().find(DeliverySelection.all().ofHandler(handler), 1000).stream()
                        .map((delivery) -> delivery.attempts().lastFailure())
                        .anyMatch((failure) ->
                                failure != null && failure.message().contains(text)));
    }

    String health() {
        return application.getBeansOfType(HealthDetails.class).values().stream()
                .map((details) -> details.get().toString())
                .collect(Collectors.joining());
    }

    /** Waits until a delivery is dead. */
    Delivery dead(UUID event, String handler) {
        return await().atMost(DEADLINE)
                .until(
                        () -> operations().find(DeliverySelection.delivery(event, handler), 1),
                        (found) -> found.stream()
                                .anyMatch((delivery) -> delivery.state().status() == DeliveryStatus.DEAD))
                .get(0);
    }

    long deadLetters() {
        return operations()
                .count(DeliverySelection.all().withStatus(DeliveryStatus.DEAD))
                .value();
    }

    private OutboxOperations operations() {
        return bean(OutboxOperations.class);
    }

    <T> T bean(Class<T> type) {
        return application.getBean(type);
    }

    @Override
    public void close() {
        application.close();
        database.close();
    }
}
