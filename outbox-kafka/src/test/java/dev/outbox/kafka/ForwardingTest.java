package dev.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerInterceptor;
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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.transaction.support.TransactionTemplate;

/** From the publisher to a consumer, with a real broker and a real database. */
@ExtendWith(OutputCaptureExtension.class)
class ForwardingTest {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int MAX_ATTEMPTS = 3;
    private static final Map<String, KafkaRecordMapper> MAPPERS = new ConcurrentHashMap<>();
    private static final Map<String, List<Integer>> BATCHES = new ConcurrentHashMap<>();
    private static final Set<String> PRODUCERS = ConcurrentHashMap.newKeySet();

    private static TestDatabase database;
    private static ConfigurableApplicationContext application;

    record OrderPlaced(String text) {}

    record OrderTwice(String text) {}

    record PaymentBooked(String text) {}

    record RefundIssued(String text) {}

    record VoucherSent(String text) {}

    record StockMoved(String text) {}

    record CouponIssued(String text) {}

    record PointsEarned(String text) {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {

        @Bean
        @Primary
        KafkaRecordMapper mapper() {
            return (event, proposed) -> MAPPERS.getOrDefault(event.aggregateId(), (same, record) -> record)
                    .map(event, proposed);
        }

        @Bean
        KafkaRecordMapper partners() {
            return (event, proposed) -> {
                proposed.headers().add("mapper", "partners".getBytes(UTF_8));
                return proposed;
            };
        }

        @Bean
        HandlerInterceptor batches() {
            return (call, chain) -> {
                BATCHES.computeIfAbsent(call.handlerId(), (id) -> new CopyOnWriteArrayList<>())
                        .add(call.events().size());
                chain.proceed();
            };
        }

        @Bean
        @SuppressWarnings("unchecked")
        DefaultKafkaProducerFactoryCustomizer observation() {
            return (factory) ->
                    ((DefaultKafkaProducerFactory<Object, Object>) factory).addListener(new CreatedProducers());
        }
    }

    /** Listens to producers in the way in which Spring Boot binds their meters. */
    private static final class CreatedProducers implements ProducerFactory.Listener<Object, Object> {

        @Override
        public void producerAdded(String id, Producer<Object, Object> producer) {
            PRODUCERS.add(id);
        }
    }

    @BeforeAll
    static void start() {
        TestKafka.createTopic("orders", Map.of());
        TestKafka.createTopic("denied", Map.of());
        TestKafka.createTopic("partners", Map.of());
        TestKafka.createTopic("stock", Map.of("max.message.bytes", "2000"));
        TestKafka.createTopic("points", Map.of("max.message.bytes", "2000"));
        TestKafka.createTopic("payments", Map.of("max.message.bytes", "2000"));
        database = TestPostgres.shared().newDatabase();
        application = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.application.name=shop",
                        "--outbox.forwarding.source=/shop",
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers(),
                        "--outbox.retry.delays=100ms",
                        "--outbox.retry.max-attempts=" + MAX_ATTEMPTS,
                        "--outbox.poller.interval=200ms",
                        "--outbox.kafka.producer.properties[max.block.ms]=500",
                        "--outbox.kafka.routes.orders.aggregate-types=Order",
                        "--outbox.kafka.routes.orders.topic=orders",
                        "--outbox.kafka.routes.payments.event-types=PaymentBooked",
                        "--outbox.kafka.routes.payments.topic=payments",
                        "--outbox.kafka.routes.refunds.event-types=RefundIssued",
                        "--outbox.kafka.routes.refunds.topic=missing",
                        "--outbox.kafka.routes.vouchers.event-types=VoucherSent",
                        "--outbox.kafka.routes.vouchers.topic=denied",
                        "--outbox.kafka.routes.stock.event-types=StockMoved",
                        "--outbox.kafka.routes.stock.topic=stock",
                        "--outbox.kafka.routes.points.event-types=PointsEarned",
                        "--outbox.kafka.routes.points.topic=points",
                        "--outbox.handlers.kafka-points.retry.max-attempts=1",
                        "--outbox.kafka.routes.coupons.event-types=CouponIssued",
                        "--outbox.kafka.routes.coupons.topic=orders",
                        "--outbox.kafka.routes.partners.event-types=CouponIssued",
                        "--outbox.kafka.routes.partners.topic=partners",
                        "--outbox.kafka.routes.partners.mapper=partners",
                        "--outbox.kafka.routes.twice.event-types=OrderTwice",
                        "--outbox.kafka.routes.twice.topic=payments");
    }

    @AfterAll
    static void stop() {
        application.close();
        database.close();
    }

    @Test
    void consumerGetsEventWithAllHeaders() {
        Instant time = Instant.parse("2026-03-01T12:00:00.123456Z");
        EventEnvelope stored = publish(OutboxEvent.of("Order", "headers", new OrderPlaced("Žižkov"))
                        .occurredAt(time)
                        .withHeader("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                        .withHeader("tenant", "acme"))
                .get(0);

        ConsumerRecord<String, String> record = read("orders", "headers", 1).get(0);

        assertThat(record.value()).isEqualTo("{\"text\": \"Žižkov\"}");
        assertThat(header(record, "ce_specversion")).isEqualTo("1.0");
        assertThat(header(record, "ce_id")).isEqualTo(stored.eventId().toString());
        assertThat(header(record, "ce_source")).isEqualTo("/shop");
        assertThat(header(record, "ce_type")).isEqualTo("OrderPlaced");
        assertThat(header(record, "ce_time")).isEqualTo(time.toString());
        assertThat(header(record, "ce_subject")).isEqualTo("headers");
        assertThat(header(record, "ce_aggregatetype")).isEqualTo("Order");
        assertThat(header(record, "ce_sequence")).isEqualTo("1");
        assertThat(header(record, "ce_schemaversion")).isEqualTo("1");
        assertThat(header(record, "content-type")).isEqualTo("application/json");
        assertThat(header(record, "traceparent")).startsWith("00-0af7651916cd43dd8448eb211c80319c");
        assertThat(header(record, "tenant")).isEqualTo("acme");
    }

    @Test
    void aggregateArrivesInOrderInOnePartition() {
        OutboxEvent[] events = IntStream.rangeClosed(1, 40)
                .mapToObj((i) -> OutboxEvent.of("Order", "sorted", new OrderPlaced("event " + i)))
                .toArray(OutboxEvent[]::new);
        publish(events);

        List<ConsumerRecord<String, String>> records = read("orders", "sorted", events.length);

        assertThat(records)
                .extracting((record) -> Integer.parseInt(header(record, "ce_sequence")))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, events.length).boxed().toList());
        assertThat(records)
                .extracting(ConsumerRecord::partition)
                .containsOnly(records.get(0).partition());
    }

    @Test
    void recordThatBrokerRefusesIsDeadWhileOthersPass() {
        UUID large = publish(
                        OutboxEvent.of("Payment", "large", new PaymentBooked(denseText(5_000))),
                        OutboxEvent.of("Payment", "small", new PaymentBooked("ok")))
                .get(0)
                .eventId();

        assertThat(read("payments", "small", 1)).hasSize(1);
        assertThat(dead(large, "kafka-payments").attempts()).satisfies((attempts) -> {
            assertThat(attempts.failed()).isEqualTo(1);
            assertThat(attempts.lastFailure().message())
                    .contains("larger than the max message size the server will accept", "max.message.bytes");
        });
    }

    @Test
    void routeWithOneAttemptSendsWholeBatches() {
        EventEnvelope refused = publish(IntStream.range(0, 20)
                        .mapToObj((i) -> OutboxEvent.of(
                                "Points", "points-" + i, new PointsEarned(denseText(i == 0 ? 5_000 : 1))))
                        .toArray(OutboxEvent[]::new))
                .get(0);

        assertThat(dead(refused.eventId(), "kafka-points").attempts().failed()).isEqualTo(1);
        assertThat(read("points", "points-19", 1)).hasSize(1);
        assertThat(BATCHES.get("kafka-points")).containsExactly(20);
    }

    @Test
    void largestPayloadPassesBrokerWithDefaults() {
        String text = denseText((1 << 20) - "{\"text\":\"\"}".length());
        publish(OutboxEvent.of("Order", "largest", new OrderPlaced(text)));

        assertThat(read("orders", "largest", 1))
                .extracting(ConsumerRecord::value)
                .containsExactly("{\"text\": \"" + text + "\"}");
    }

    /** Returns text that hardly compresses. */
    private static String denseText(int length) {
        return new Random(1)
                .ints(length, '#', '\\')
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    }

    @Test
    void deadLetterHoldsBackItsAggregateUntilItIsRetried() {
        UUID large = publish(
                        OutboxEvent.of("Item", "blocked", new StockMoved(denseText(5_000))),
                        OutboxEvent.of("Item", "blocked", new StockMoved("2")),
                        OutboxEvent.of("Item", "blocked", new StockMoved("3")))
                .get(0)
                .eventId();
        dead(large, "kafka-stock");
        publish(OutboxEvent.of("Item", "blocked", new StockMoved("4")));
        publish(OutboxEvent.of("Item", "free", new StockMoved("5")));

        assertThat(TestKafka.read("stock", 1, (record) -> true))
                .extracting(ConsumerRecord::key)
                .containsExactly("free");
        TestKafka.configure("stock", "max.message.bytes", "100000");
        application
                .getBean(OutboxOperations.class)
                .retry(DeliverySelection.delivery(large, "kafka-stock"), "ann", "larger records");

        assertThat(sequences("stock", "blocked", 4)).containsExactly("1", "2", "3", "4");
    }

    @Test
    @Tag("full")
    void eventsWaitForUnknownTopicAndArriveInOrder(CapturedOutput output) {
        publish(refunds("refund"));

        awaitAttemptsThatDoNotCount("kafka-refunds");
        assertThat(application.getBean(HealthDetails.class).get().toString())
                .contains("failingRoutes", "refunds=missing: Topic missing does not exist");
        assertThat(output)
                .containsOnlyOnce(
                        "Route refunds cannot send to Kafka, so its events wait: missing: Topic missing does not exist");
        TestKafka.createTopic("missing", Map.of());

        assertThat(sequences("missing", "refund", 3)).containsExactly("1", "2", "3");
        awaitEndOfFault("refunds", output);
    }

    @Test
    @Tag("full")
    void eventsWaitForPermissionAndArriveInOrder(CapturedOutput output) {
        TestKafka.denyWrites("denied");
        publish(
                OutboxEvent.of("Voucher", "denied", new VoucherSent("1")),
                OutboxEvent.of("Voucher", "denied", new VoucherSent("2")),
                OutboxEvent.of("Voucher", "denied", new VoucherSent("3")));

        awaitAttemptsThatDoNotCount("kafka-vouchers");
        assertThat(output).containsOnlyOnce("Route vouchers cannot send to Kafka, so its events wait:");
        TestKafka.permitWrites("denied");

        assertThat(sequences("denied", "denied", 3)).containsExactly("1", "2", "3");
        awaitEndOfFault("vouchers", output);
    }

    private static OutboxEvent[] refunds(String aggregate) {
        return IntStream.rangeClosed(1, 3)
                .mapToObj((i) -> OutboxEvent.of("Refund", aggregate, new RefundIssued("refund " + i)))
                .toArray(OutboxEvent[]::new);
    }

    /** Waits until a delivery has had more attempts than it may fail, none of which counts. */
    private static void awaitAttemptsThatDoNotCount(String handler) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> application
                        .getBean(JdbcClient.class)
                        .sql("SELECT max(attempt_count) FROM events.outbox_delivery WHERE handler_id = ?")
                        .param(handler)
                        .query(Integer.class)
                        .optional()
                        .filter((attempts) -> attempts > MAX_ATTEMPTS)
                        .isPresent());
        assertThat(application
                        .getBean(OutboxOperations.class)
                        .find(DeliverySelection.all().ofHandler(handler), 10))
                .hasSize(3)
                .allSatisfy((delivery) -> {
                    assertThat(delivery.state().status()).isNotEqualTo(DeliveryStatus.DEAD);
                    assertThat(delivery.attempts().failed()).isZero();
                });
    }

    private static void awaitEndOfFault(String route, CapturedOutput output) {
        String end = "Route " + route + " sends to Kafka again";
        await().atMost(DEADLINE).untilAsserted(() -> assertThat(output).containsOnlyOnce(end));
        assertThat(application.getBean(HealthDetails.class).get().toString()).doesNotContain(route);
    }

    private static List<String> sequences(String topic, String key, int count) {
        return read(topic, key, count).stream()
                .map((record) -> header(record, "ce_sequence"))
                .toList();
    }

    @Test
    void failingMapperIsRetriedUntilItRecovers() {
        MAPPERS.put("mapped", (event, proposed) -> {
            MAPPERS.put("mapped", (same, record) -> {
                record.headers().add("region", "eu".getBytes(UTF_8));
                return record;
            });
            throw new IllegalStateException("the schema is not there yet");
        });

        publish(OutboxEvent.of("Order", "mapped", new OrderPlaced("5")));

        assertThat(header(read("orders", "mapped", 1).get(0), "region")).isEqualTo("eu");
    }

    @Test
    void valueOfWrongClassIsDead() {
        MAPPERS.put(
                "text",
                (event, proposed) ->
                        new ProducerRecord<>(proposed.topic(), null, proposed.key(), "text", proposed.headers()));

        UUID event = publish(OutboxEvent.of("Order", "text", new OrderPlaced("5")))
                .get(0)
                .eventId();

        assertThat(dead(event, "kafka-orders").attempts()).satisfies((attempts) -> {
            assertThat(attempts.failed()).isEqualTo(1);
            assertThat(attempts.lastFailure().message()).contains("Can't convert value of class java.lang.String");
        });
    }

    @Test
    void eventOfTwoRoutesGoesToBothTopics() {
        publish(
                OutboxEvent.of("Order", "twice", new OrderTwice("5")),
                OutboxEvent.of("Order", "twice", new OrderPlaced("6")));

        assertThat(read("orders", "twice", 2))
                .extracting((record) -> header(record, "ce_type"))
                .containsExactly("OrderTwice", "OrderPlaced");
        assertThat(read("payments", "twice", 1))
                .extracting((record) -> header(record, "ce_type"))
                .containsExactly("OrderTwice");
    }

    @Test
    void producerIsObservedLikeThoseOfApplication() {
        publish(OutboxEvent.of("Order", "observed", new OrderPlaced("5")));
        read("orders", "observed", 1);

        assertThat(PRODUCERS).contains("outboxKafkaProducer.shop-outbox-1");
    }

    @Test
    void routeUsesItsOwnMapper() {
        publish(OutboxEvent.of("Coupon", "own", new CouponIssued("5")));

        ConsumerRecord<String, String> own = read("partners", "own", 1).get(0);
        assertThat(header(own, "mapper")).isEqualTo("partners");
        ConsumerRecord<String, String> other = read("orders", "own", 1).get(0);
        assertThat(other.headers()).extracting(Header::key).doesNotContain("mapper");
    }

    private static List<EventEnvelope> publish(OutboxEvent... events) {
        OutboxPublisher publisher = application.getBean(OutboxPublisher.class);
        return application
                .getBean(TransactionTemplate.class)
                .execute((status) -> publisher.publishAll(List.of(events)));
    }

    private static List<ConsumerRecord<String, String>> read(String topic, String key, int count) {
        return TestKafka.read(topic, count, (record) -> record.key().equals(key));
    }

    private static Delivery dead(UUID event, String handler) {
        OutboxOperations operations = application.getBean(OutboxOperations.class);
        return await().atMost(DEADLINE)
                .until(
                        () -> operations.find(DeliverySelection.delivery(event, handler), 1),
                        (found) -> found.stream()
                                .anyMatch((delivery) -> delivery.state().status() == DeliveryStatus.DEAD))
                .get(0);
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }
}
