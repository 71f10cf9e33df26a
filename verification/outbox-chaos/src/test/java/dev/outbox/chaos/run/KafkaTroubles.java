package dev.outbox.chaos.run;

import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import dev.outbox.testing.kafka.KafkaCluster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaConsumerFactoryCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A shop that forwards the events of one aggregate type to two topics, and a billing service that receives both in one group, on a real
 * broker. Releases, credentials, offsets and consumers fail in the ways of a working week.
 */
final class KafkaTroubles implements AutoCloseable {

    private static final List<String> TOPICS = List.of("orders", "cancellations");
    private static final int PARTITIONS = 3;
    private static final int AGGREGATES = 20;
    private static final int MAX_ATTEMPTS = 3;
    private static final Duration DEADLINE = Duration.ofMinutes(2);

    private static final AtomicInteger FATAL_POLLS = new AtomicInteger();
    private static final List<EventEnvelope> HANDLED = new CopyOnWriteArrayList<>();

    private final KafkaCluster cluster = KafkaCluster.startWithPasswords(1);
    private final TestDatabase shop = TestPostgres.shared().newDatabase();
    private final TestDatabase billing = TestPostgres.shared().newDatabase();
    private final List<ConfigurableApplicationContext> running = new ArrayList<>();
    private final List<UUID> published = new ArrayList<>();
    private final Random random;

    KafkaTroubles(long seed) {
        this.random = new Random(seed);
        HANDLED.clear();
        cluster.setPassword("shop", "secret");
        cluster.setPassword("billing", "secret");
        TOPICS.forEach((topic) -> cluster.createTopic(topic, PARTITIONS));
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Billing {

        @Bean
        HandlerDefinition invoices() {
            return HandlerDefinition.of(
                    "invoices",
                    Set.of("OrderPlaced", "OrderShipped", "OrderCancelled"),
                    (EventEnvelope event) -> HANDLED.add(event));
        }

        @Bean
        DefaultKafkaConsumerFactoryCustomizer fatalPolls() {
            return KafkaTroubles::failPolls;
        }
    }

    @SuppressWarnings("unchecked")
    private static <K, V> void failPolls(DefaultKafkaConsumerFactory<K, V> factory) {
        factory.addPostProcessor((consumer) -> (Consumer<K, V>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("poll") && FATAL_POLLS.getAndUpdate((n) -> Math.max(0, n - 1)) > 0) {
                        throw new OutOfMemoryError("no memory for a poll");
                    }
                    return invoke(consumer, method, arguments);
                }));
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getCause();
        }
    }

    /** Starts a release of the shop whose route to the first topic forwards these types. */
    ConfigurableApplicationContext startShop(String types) {
        return start(
                Shop.class,
                shop,
                "shop",
                "--outbox.kafka.source=/shop",
                "--outbox.retry.delays=100ms",
                "--outbox.retry.max-attempts=" + MAX_ATTEMPTS,
                "--outbox.handlers.kafka-orders.circuit.failures=5",
                "--outbox.handlers.kafka-orders.circuit.probe-interval=300ms",
                "--outbox.handlers.kafka-cancellations.circuit.failures=5",
                "--outbox.handlers.kafka-cancellations.circuit.probe-interval=300ms",
                "--outbox.kafka.routes.orders.event-types=" + types,
                "--outbox.kafka.routes.orders.topic=orders",
                "--outbox.kafka.routes.cancellations.event-types=OrderCancelled",
                "--outbox.kafka.routes.cancellations.topic=cancellations");
    }

    ConfigurableApplicationContext startBilling() {
        return start(
                Billing.class,
                billing,
                "billing",
                "--outbox.kafka.inboxes.shop.topics=" + String.join(",", TOPICS),
                "--outbox.kafka.inboxes.shop.group=billing");
    }

    private ConfigurableApplicationContext start(
            Class<?> application, TestDatabase database, String user, String... properties) {
        Stream<String> login = KafkaCluster.login(user, "secret").entrySet().stream()
                .map((property) -> "--spring.kafka.properties[" + property.getKey() + "]=" + property.getValue());
        ConfigurableApplicationContext started = new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .run(Stream.concat(
                                Stream.of(
                                        "--spring.datasource.url=" + database.jdbcUrl(),
                                        "--spring.datasource.username=" + database.username(),
                                        "--spring.datasource.password=" + database.password(),
                                        "--spring.kafka.bootstrap-servers=" + cluster.bootstrapServers(),
                                        "--logging.level.org.apache.kafka=error",
                                        "--outbox.poller.interval=200ms"),
                                Stream.concat(login, Stream.of(properties)))
                        .toArray(String[]::new));
        running.add(started);
        return started;
    }

    void stop(ConfigurableApplicationContext application) {
        application.close();
        running.remove(application);
    }

    /** Publishes events of random orders and types, in transactions of ten. */
    void publish(ConfigurableApplicationContext from, int transactions, String... types) {
        OutboxPublisher publisher = from.getBean(OutboxPublisher.class);
        for (int n = 0; n < transactions; n++) {
            List<OutboxEvent> events = IntStream.range(0, 10)
                    .mapToObj((ignored) -> OutboxEvent.of(
                                    "order", String.valueOf(random.nextInt(AGGREGATES)), Map.of("amount", 1))
                            .withEventType(types[random.nextInt(types.length)]))
                    .toList();
            from.getBean(TransactionTemplate.class)
                    .executeWithoutResult((status) ->
                            publisher.publishAll(events).forEach((event) -> published.add(event.eventId())));
        }
    }

    /**
     * Lets the credential expire until an event has had more attempts than may fail. Publishes until then, because a connection serves
     * until it must authenticate again.
     */
    void expireCredential(Runnable publish) {
        cluster.removePassword("shop");
        try {
            await().atMost(DEADLINE)
                    .pollInSameThread()
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> {
                        if (!exists("d.attempt_count > 0")) {
                            publish.run();
                        }
                        return exists("d.attempt_count > " + (MAX_ATTEMPTS + 1) + " OR d.status <> 'OPEN'");
                    });
        } finally {
            cluster.setPassword("shop", "secret");
        }
    }

    private boolean exists(String condition) {
        return JdbcClient.create(shop.dataSource())
                .sql("SELECT EXISTS (SELECT FROM events.outbox_delivery d WHERE " + condition + ")")
                .query(Boolean.class)
                .single();
    }

    /** Lets the next polls end with an Error, and waits until they have. */
    void failPolls(int count) {
        FATAL_POLLS.set(count);
        await().atMost(DEADLINE).until(() -> FATAL_POLLS.get() == 0);
    }

    void expireOffsetsOfGroup() throws Exception {
        Set<TopicPartition> partitions = TOPICS.stream()
                .flatMap((topic) ->
                        IntStream.range(0, PARTITIONS).mapToObj((partition) -> new TopicPartition(topic, partition)))
                .collect(Collectors.toSet());
        await().atMost(DEADLINE)
                .until(() -> cluster.admin()
                        .describeConsumerGroups(List.of("billing"))
                        .all()
                        .get()
                        .get("billing")
                        .members()
                        .isEmpty());
        cluster.admin().deleteConsumerGroupOffsets("billing", partitions).all().get();
    }

    void awaitHandled() {
        await().atMost(DEADLINE).until(() -> handled().size() >= published.size());
    }

    List<UUID> published() {
        return published;
    }

    List<UUID> handled() {
        return HANDLED.stream().map(EventEnvelope::eventId).distinct().toList();
    }

    /** Sequences of an order from one topic, which has its cancellations or its other events, in the order in which they were handled. */
    static List<Long> sequences(int order, boolean cancellations) {
        return HANDLED.stream()
                .filter((event) -> event.aggregateId().equals(String.valueOf(order)))
                .filter((event) -> event.eventType().equals("OrderCancelled") == cancellations)
                .map(EventEnvelope::sequence)
                .distinct()
                .toList();
    }

    static IntStream orders() {
        return IntStream.range(0, AGGREGATES);
    }

    long dead() {
        return running.stream()
                .mapToLong((application) -> application
                        .getBean(OutboxOperations.class)
                        .count(DeliverySelection.all().withStatus(DeliveryStatus.DEAD))
                        .value())
                .sum();
    }

    @Override
    public void close() {
        List.copyOf(running).forEach(this::stop);
        shop.close();
        billing.close();
        cluster.close();
    }
}
