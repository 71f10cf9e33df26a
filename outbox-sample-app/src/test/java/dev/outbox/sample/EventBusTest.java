package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Origin;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.TradeCommand.CreateOrderAttempt;
import dev.outbox.sample.trading.TradingApi;
import dev.outbox.spring.autoconfigure.OutboxProperties;
import dev.outbox.testing.OpenTransaction;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The event bus: five streams, what they have in common, and what keeps them apart. */
@SampleTest
@ExtendWith(OutputCaptureExtension.class)
class EventBusTest {

    private static final List<String> STREAMS = List.of(
            "everbit.trade.command",
            "everbit.trade.event",
            "everbit.backtest.command",
            "everbit.backtest.event",
            "everbit.system.event");

    private final String owner = "OWNER-" + UUID.randomUUID();

    @LocalServerPort
    private int port;

    @Autowired
    private Api api;

    @Autowired
    private OutboxProperties outbox;

    @Autowired
    private DataSource dataSource;

    @Autowired
    private LoggingSystem logging;

    @Autowired
    private EventBus bus;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    @AfterEach
    void quieten() {
        logging.setLogLevel("dev.outbox.sample.trading", null);
    }

    @Test
    void everyStreamHasAWorkerOfItsOwn() {
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .containsAll(STREAMS.stream()
                        .map((stream) -> "outbox-poller-" + stream)
                        .toList());
    }

    @Test
    void workersSubscribeToTheMessagesOfTheirStreams() {
        assertThat(jdbc.sql("SELECT handler_id || ' ' || event_type FROM events.outbox_subscription")
                        .query(String.class)
                        .list())
                .contains(
                        "order-executor-worker CreateOrderAttempt",
                        "notification-worker OrderAccepted",
                        "backtest-worker RunBacktest",
                        "system-worker SettingChanged");
    }

    @Test
    void everyStreamHasABackoffOfItsOwn() {
        assertThat(STREAMS).allSatisfy((stream) -> {
            OutboxProperties.Retry retry = outbox.streams().get(stream).retry();
            assertThat(retry.initialDelay()).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
            assertThat(retry.maxDelay()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(300));
            assertThat(retry.maxAttempts()).isBetween(3, 20);
        });
    }

    @Test
    void stuckStreamDelaysNoOther() throws SQLException {
        try (OpenTransaction gate = OpenTransaction.of(dataSource)) {
            gate.run("LOCK TABLE trading.settings IN EXCLUSIVE MODE");
            api.put("/settings/max-volume", "{\"volume\": 1000}");
            await().atMost(Api.DEADLINE)
                    .untilAsserted(
                            () -> assertThat(api.events()).extracting("status").containsExactly("PROCESSING"));
            Api trader = new Api(port);

            new TradingApi(trader).signal("BUY", "1");

            assertThat(trader.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderAccepted");
            assertThat(api.events()).extracting("status").containsExactly("PROCESSING");
            gate.commit();
        }
        api.awaitPublished();
    }

    @Test
    void backtestIsRunAndItsResultTold() {
        String backtest = api.backtest(owner, "EXTREME_FLIP");

        assertThat(api.awaitPublished()).containsExactly("RunBacktest", "BacktestCompleted");
        assertThat(api.events())
                .extracting("stream")
                .containsExactly("everbit.backtest.command", "everbit.backtest.event");
        Map<String, Object> result = api.find("/backtests/" + backtest);
        assertThat(result).containsEntry("status", "completed");
        assertThat((Integer) result.get("trades")).isPositive();
        assertThat(api.messagesTo(owner))
                .singleElement()
                .asString()
                .startsWith("backtest completed: ")
                .endsWith(" after " + result.get("trades") + " trades");
    }

    @Test
    void backtestThatCannotBeRunSaysSo() {
        String backtest = api.backtest(owner, "GUESS");

        assertThat(api.awaitPublished()).containsExactly("RunBacktest", "BacktestFailed");
        assertThat(api.find("/backtests/" + backtest)).containsEntry("status", "failed");
        assertThat(api.messagesTo(owner)).containsExactly("backtest failed: there is no such strategy");
    }

    @Test
    void commandThatFitsNoAttemptIsDeadAtOnce() {
        String intent = new TradingApi(new Api(port)).signal("BUY", "1");
        UUID attempt = UUID.randomUUID();
        CreateOrderAttempt command = new CreateOrderAttempt(
                attempt,
                UUID.fromString(intent),
                1,
                "everbit-" + attempt,
                UUID.randomUUID(),
                owner,
                "EXTREME_FLIP",
                "KRW-BTC",
                "BUY",
                BigDecimal.ONE,
                null);
        MDC.put(Message.TRACE_ID, api.traceId());
        transaction.executeWithoutResult((status) -> bus.publish(new Message(
                Streams.TRADE_COMMAND,
                "order_attempt",
                attempt.toString(),
                command,
                new Origin(owner, "EXTREME_FLIP", "KRW-BTC"))));
        MDC.remove(Message.TRACE_ID);

        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("status", "retryCount", "lastErrorCode")
                        .containsExactly(tuple("DEAD", 1, "UnknownAttemptException")));
    }

    @Test
    void everyStreamHasItsMeters() {
        api.backtest(owner, "EXTREME_FLIP");
        new TradingApi(api).signal("BUY", "1");
        api.awaitPublished();

        String scrape = api.get("/actuator/prometheus").getBody();

        assertThat(STREAMS).allSatisfy((stream) -> {
            for (String gauge :
                    List.of("pending_events", "processing_events", "dead_deliveries", "oldest_pending_seconds")) {
                assertThat(scrape).containsPattern("outbox_" + gauge + "\\{[^}]*stream=\"" + stream + "\"");
            }
        });
        assertThat(scrape)
                .containsPattern("outbox_processed_total\\{[^}]*result=\"success\",stream=\"everbit.trade.command\"")
                .containsPattern("outbox_handler_duration_seconds_bucket\\{[^}]*event_type=\"CreateOrderAttempt\",[^}]*"
                        + "stream=\"everbit.trade.command\",le=");
    }

    @Test
    void logLinesNameEventAndTrace(CapturedOutput output) {
        logging.setLogLevel("dev.outbox.sample.trading", LogLevel.INFO);

        String intent = new TradingApi(api).signal("BUY", "1");
        api.awaitPublished();

        String attempt = api.text("/order-intents/" + intent + "/attempts", "$[0].id");
        assertThat(output.getOut().lines().filter((line) -> line.contains("Order everbit-" + attempt + " is ACKED")))
                .singleElement()
                .asString()
                .contains(
                        " handlerId=order-executor-worker",
                        " traceId=" + api.traceId(),
                        " eventId=" + api.events().get(0).get("eventId"),
                        " stream=everbit.trade.command",
                        " eventType=CreateOrderAttempt",
                        " aggregateType=order_attempt",
                        " aggregateId=" + attempt);
    }
}
