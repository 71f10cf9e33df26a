package dev.outbox.sample;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.trading.TradingApi;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service as two, which have a database each and share the topics of a broker. */
@Tag("full")
class OverKafkaTest {

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private static final List<String> TOPICS = List.of(
            "everbit.trade.command",
            "everbit.trade.event",
            "everbit.backtest.command",
            "everbit.backtest.event",
            "everbit.system.event");

    private static final JsonMapper JSON = new JsonMapper();

    private static final EmbeddedKafkaKraftBroker BROKER = SampleOverKafka.startBroker();
    private static final TestDatabase WEB_DATABASE = TestPostgres.shared().newDatabase();
    private static final TestDatabase WORKER_DATABASE = TestPostgres.shared().newDatabase();

    private static ConfigurableApplicationContext webService;
    private static ConfigurableApplicationContext workerService;

    private Api web;
    private Api worker;
    private TradingApi signals;
    private TradingApi orders;

    @BeforeAll
    static void start() {
        workerService = start("worker", WORKER_DATABASE);
        webService = start("web", WEB_DATABASE);
    }

    @AfterAll
    static void stop() {
        webService.close();
        workerService.close();
        BROKER.destroy();
        WEB_DATABASE.close();
        WORKER_DATABASE.close();
    }

    @BeforeEach
    void connect() {
        web = new Api(portOf(webService));
        worker = new Api(portOf(workerService));
        signals = new TradingApi(web);
        orders = new TradingApi(worker);
    }

    @Test
    void workerExecutesOrderAndWebNotifiesItsOwner() {
        String intent = signals.signal("BUY", "0.5");

        eventually(() -> assertThat(signals.messages()).containsExactly("order accepted in " + signals.market()));
        eventually(() -> assertThat(signals.intent(intent)).containsEntry("status", "ACCEPTED"));
        assertThat(signals.intent(intent)).isEqualTo(orders.intent(intent));
        assertThat(signals.statusesOf(intent)).containsExactly("ACKED");
        assertThat(typesAndOrigins(webService))
                .contains("CreateOrderAttempt null")
                .contains("OrderAccepted /sample-worker");
        assertThat(typesAndOrigins(workerService))
                .contains("CreateOrderAttempt /sample-web")
                .contains("OrderAccepted null");
        assertThat(worker.<List<Integer>>get("/exchange/markets/" + signals.market() + "/orders", "$[*].placements"))
                .containsExactly(1);
        assertThat(handlersOf(webService))
                .contains("notification-worker", "kafka-trade-command")
                .doesNotContain("order-executor-worker", "backtest-worker", "system-worker", "push.send");
        assertThat(handlersOf(workerService))
                .contains("order-executor-worker", "backtest-worker", "system-worker", "push.send")
                .doesNotContain("notification-worker", "trading.order-results");
    }

    @ParameterizedTest
    @CsvSource({
        "charging, web",
        "orderResults, web",
        "backtestResults, web",
        "pushSender, worker",
        "orderExecutorWorker, worker",
        "orderExecutor, worker",
        "reconciliation, worker",
        "simulatedExchange, worker",
        "backtestWorker, worker"
    })
    void eachServiceHasItsPart(String bean, String service) {
        assertThat(webService.containsBean(bean)).isEqualTo(service.equals("web"));
        assertThat(workerService.containsBean(bean)).isEqualTo(service.equals("worker"));
    }

    @Test
    void everyTopicCarriesTheEnvelopeOfTheDocument() {
        signals.signal("BUY", "0.5");
        web.backtest(signals.owner(), "EXTREME_FLIP");
        web.put("/settings/max-volume", "{\"volume\": 1000}");

        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = consumer()) {
            consumer.subscribe(TOPICS);
            eventually(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                assertThat(records).extracting(ConsumerRecord::topic).containsAll(TOPICS);
            });
        }

        assertThat(records).allSatisfy((record) -> {
            JsonNode envelope = JSON.readTree(record.value());
            assertThat(envelope.propertyNames())
                    .containsExactlyInAnyOrder(
                            "schemaVersion",
                            "eventId",
                            "type",
                            "occurredAt",
                            "traceId",
                            "ownerId",
                            "strategyKey",
                            "market",
                            "payload");
            assertThat(envelope.path("eventId").asString()).isEqualTo(header(record, "ce_id"));
            assertThat(envelope.path("type").asString()).isEqualTo(header(record, "ce_type"));
            assertThat(envelope.path("payload").isEmpty()).isFalse();
            assertThat(record.headers().lastHeader("attachment")).isNull();
        });
    }

    @Test
    void workerRunsBacktestAndItsResultArrives() {
        String backtest = web.backtest(signals.owner(), "EXTREME_FLIP");

        eventually(() -> assertThat(web.find("/backtests/" + backtest)).containsEntry("status", "completed"));
        assertThat(web.find("/backtests/" + backtest)).isEqualTo(worker.find("/backtests/" + backtest));
        eventually(
                () -> assertThat(signals.messages()).singleElement().asString().startsWith("backtest completed: "));
    }

    @Test
    void killSwitchOfWebStopsOrdersOfTheWorker() {
        web.put("/settings/kill-switch", "{\"on\": true}");
        eventually(() -> assertThat(count(workerService, "trading.settings WHERE value = 'on'"))
                .isOne());

        String intent = signals.signal("SELL", "0.5");
        eventually(() -> assertThat(signals.intent(intent)).containsEntry("status", "HALTED"));

        web.put("/settings/kill-switch", "{\"on\": false}");
        eventually(() -> assertThat(count(workerService, "trading.settings WHERE value = 'off'"))
                .isOne());
        orders.retry(orderCommand(intent));
        eventually(() -> assertThat(signals.intent(intent)).containsEntry("status", "ACCEPTED"));
    }

    @Test
    void noticeOfWebReachesInboxAndPhoneOfTheWorker() {
        String user = web.create("/users", "{\"discordUserId\": \"" + signals.owner() + "\"}", "$.id");
        assertThat(user).isNotEmpty();
        worker.put("/devices/" + signals.owner(), "");
        eventually(() -> assertThat(count(workerService, "push.recipients WHERE user_id = '" + signals.owner() + "'"))
                .isOne());

        web.create("/notices", "{\"title\": \"Closed\", \"body\": \"on Monday\"}", "$.id");

        eventually(() -> assertThat(worker.<List<Object>>get("/inbox/" + signals.owner(), "$[*]['title', 'status']"))
                .containsExactly(Map.of("title", "Closed", "status", "SENT")));
    }

    private static KafkaConsumer<String, String> consumer() {
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, BROKER.getBrokersAsString(),
                ConsumerConfig.GROUP_ID_CONFIG, "reader",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    private static String header(ConsumerRecord<String, String> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private static String orderCommand(String intent) {
        return jdbc(workerService)
                .sql("SELECT event_id FROM events.outbox WHERE event_type = 'CreateOrderAttempt'"
                        + " AND payload ->> 'orderIntentId' = :intent")
                .param("intent", intent)
                .query(String.class)
                .single();
    }

    private static ConfigurableApplicationContext start(String profile, TestDatabase database) {
        Map<String, Object> settings = Map.of(
                "spring.datasource.url", database.jdbcUrl(),
                "spring.datasource.username", database.username(),
                "spring.datasource.password", database.password());
        return SampleOverKafka.run(profile, settings, BROKER.getBrokersAsString(), "0");
    }

    private static int portOf(ConfigurableApplicationContext service) {
        return service.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    private static List<String> handlersOf(ConfigurableApplicationContext service) {
        return jdbc(service)
                .sql("SELECT DISTINCT handler_id FROM events.outbox_subscription")
                .query(String.class)
                .list();
    }

    private static List<String> typesAndOrigins(ConfigurableApplicationContext service) {
        return jdbc(service)
                .sql("SELECT event_type || ' ' || coalesce(headers ->> 'origin', 'null') FROM events.outbox")
                .query(String.class)
                .list();
    }

    private static int count(ConfigurableApplicationContext service, String rows) {
        return jdbc(service)
                .sql("SELECT count(*) FROM " + rows)
                .query(Integer.class)
                .single();
    }

    private static JdbcClient jdbc(ConfigurableApplicationContext service) {
        return service.getBean(JdbcClient.class);
    }

    /** Waits longer than other tests: the first record of a consumer group waits for the assignment of its partitions. */
    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(DEADLINE).untilAsserted(assertion);
    }
}
