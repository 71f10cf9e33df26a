package dev.outbox.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.jms.dsl.Jms;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.messaging.MessageChannel;
import org.springframework.transaction.support.TransactionTemplate;

/** The recipe of the documentation, with a broker that stops and starts. */
@ExtendWith(OutputCaptureExtension.class)
class ArtemisRecipeTest {

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int AGGREGATES = 20;
    private static final int EVENTS_OF_EACH = 8;

    @TempDir
    private static Path data;

    private static TestDatabase database;
    private static ArtemisBroker broker;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableIntegration
    static class Shop {

        @Bean
        ConnectionFactory connections() {
            return new CachingConnectionFactory(new ActiveMQConnectionFactory(ArtemisBroker.URL));
        }

        @Bean
        MessageChannel orderChannel() {
            return new DirectChannel();
        }

        @Bean
        IntegrationFlow ordersToJms(ConnectionFactory connections) {
            return IntegrationFlow.from("orderChannel")
                    .handle(Jms.outboundAdapter(connections).destination("shop.orders"))
                    .get();
        }
    }

    @BeforeAll
    static void start() {
        database = TestPostgres.shared().newDatabase();
        broker = new ArtemisBroker(data);
        broker.start();
    }

    @AfterAll
    static void stop() {
        broker.stop();
        database.close();
    }

    @Test
    void brokerThatStopsLosesNoEventAndKeepsTheOrderOfEachAggregate(CapturedOutput output) {
        Received received = new Received();
        DefaultMessageListenerContainer container = received.consumers();
        try (ConfigurableApplicationContext shop = shop()) {
            publish(shop);
            await().atMost(DEADLINE).until(() -> received.count() >= AGGREGATES);
            assertThat(received.consumersOfGroups())
                    .allSatisfy((group, consumers) ->
                            assertThat(consumers).as(group).hasSize(1));
            broker.stop();
            received.consumersChange();
            publish(shop);
            await().atMost(DEADLINE)
                    .untilAsserted(() -> assertThat(output)
                            .contains(
                                    "Route orders cannot send to message channels, so its events wait: orderChannel:"));
            broker.start();

            await().atMost(DEADLINE).until(() -> isPublished(shop));
            await().atMost(DEADLINE)
                    .untilAsserted(() -> assertThat(received.firstSequences())
                            .hasSize(AGGREGATES)
                            .allSatisfy((order, sequences) -> assertThat(sequences)
                                    .as(order)
                                    .containsExactlyElementsOf(LongStream.rangeClosed(1, 2 * EVENTS_OF_EACH)
                                            .boxed()
                                            .toList())));
            assertThat(received.consumersOfGroups().values().stream().distinct())
                    .as("consumers that shared the work")
                    .hasSizeGreaterThan(1);
            assertThat(output).contains("Route orders sends to message channels again");
        } finally {
            container.destroy();
        }
    }

    private static ConfigurableApplicationContext shop() {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.application.name=shop",
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--outbox.forwarding.source=/shop",
                        "--outbox.channel.routes.orders.aggregate-types=Order",
                        "--outbox.channel.routes.orders.channel=orderChannel",
                        "--outbox.channel.routes.orders.confirmation=synchronous");
    }

    private static void publish(ConfigurableApplicationContext shop) {
        OutboxPublisher publisher = shop.getBean(OutboxPublisher.class);
        TransactionTemplate transaction = shop.getBean(TransactionTemplate.class);
        for (int event = 0; event < EVENTS_OF_EACH; event++) {
            transaction.executeWithoutResult((status) -> {
                for (int order = 0; order < AGGREGATES; order++) {
                    publisher.publish(
                            OutboxEvent.of("Order", "order-" + order, Map.of()).withEventType("OrderPlaced"));
                }
            });
        }
    }

    private static boolean isPublished(ConfigurableApplicationContext shop) {
        return shop.getBean(JdbcClient.class)
                .sql("SELECT NOT EXISTS (SELECT FROM events.outbox WHERE status <> 'PUBLISHED')")
                .query(Boolean.class)
                .single();
    }

    /** What two consumers of the queue have received. */
    private static final class Received {

        private final Map<String, List<Long>> sequences = new ConcurrentHashMap<>();
        private final Map<String, Set<String>> consumers = new ConcurrentHashMap<>();
        private volatile String run = "before the restart";

        DefaultMessageListenerContainer consumers() {
            DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
            container.setConnectionFactory(new ActiveMQConnectionFactory(ArtemisBroker.URL));
            container.setDestinationName("shop.orders");
            container.setConcurrentConsumers(2);
            container.setRecoveryInterval(100);
            container.setSessionTransacted(true);
            container.setMessageListener((jakarta.jms.MessageListener) this::receive);
            container.afterPropertiesSet();
            container.start();
            return container;
        }

        private void receive(Message message) {
            try {
                sequences
                        .computeIfAbsent(
                                message.getStringProperty("ce_subject"), (order) -> new CopyOnWriteArrayList<>())
                        .add(Long.parseLong(message.getStringProperty("ce_sequence")));
                consumers
                        .computeIfAbsent(
                                message.getStringProperty("JMSXGroupID") + " " + run,
                                (group) -> ConcurrentHashMap.newKeySet())
                        .add(Thread.currentThread().getName());
            } catch (JMSException ex) {
                throw new IllegalStateException(ex);
            }
        }

        int count() {
            return sequences.values().stream().mapToInt(List::size).sum();
        }

        /** Returns the sequences of each aggregate in the order of their first arrival. */
        Map<String, List<Long>> firstSequences() {
            Map<String, List<Long>> first = new TreeMap<>();
            sequences.forEach((order, all) ->
                    first.put(order, new ArrayList<>(all.stream().distinct().toList())));
            return first;
        }

        /** Notes that the broker assigns the groups to consumers again. */
        void consumersChange() {
            run = "after the restart";
        }

        Map<String, Set<String>> consumersOfGroups() {
            return consumers;
        }
    }
}
