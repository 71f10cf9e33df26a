package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What an exchange executes is money: each fill is booked once, at any time, and never lost. */
@SampleTest
class FillsTest {

    @Autowired
    private Api api;

    @Autowired
    private Fills fills;

    @Autowired
    private OrderAttempts attempts;

    @Autowired
    private Conclusions conclusions;

    @Autowired
    private JdbcClient jdbc;

    private TradingApi trading;

    @BeforeEach
    void connect() {
        trading = new TradingApi(api);
    }

    @Test
    void partialFillsCompleteTheOrder() {
        String intent = accepted("BUY", "0.5");
        String order = trading.identifierOf(intent);

        assertThat(trading.fill(order, "fill-1", "0.2")).isEqualTo(HttpStatus.OK);
        assertThat(trading.intent(intent))
                .containsEntry("status", "PARTIALLY_FILLED")
                .containsEntry("filledVolume", 0.2);
        assertThat(trading.fill(order, "fill-2", "0.3")).isEqualTo(HttpStatus.OK);

        assertThat(api.awaitPublished())
                .containsExactly(
                        "CreateOrderAttempt",
                        "OrderAccepted",
                        "OrderPartiallyFilled",
                        "PositionChanged",
                        "OrderFilled",
                        "PositionChanged");
        assertThat(trading.intent(intent)).containsEntry("status", "FILLED");
        assertThat(position()).isEqualByComparingTo("0.5");
        assertThat(trading.messages())
                .containsExactlyInAnyOrder(
                        "order accepted in " + trading.market(),
                        "order partially filled in %s: 0.2, 0.2 in total".formatted(trading.market()),
                        "order filled in %s: 0.5".formatted(trading.market()));
    }

    @Test
    void repeatedFillIsBookedOnce() {
        String bought = trading.identifierOf(accepted("BUY", "0.5"));
        String sold = trading.identifierOf(accepted("SELL", "0.2"));

        assertThat(trading.fill(bought, "fill-1", "0.5")).isEqualTo(HttpStatus.OK);
        assertThat(trading.fill(bought, "fill-1", "0.5")).isEqualTo(HttpStatus.OK);
        assertThat(trading.fill(sold, "fill-1", "0.2")).isEqualTo(HttpStatus.OK);

        assertThat(api.awaitPublished())
                .filteredOn((type) -> type.equals("OrderFilled") || type.equals("PositionChanged"))
                .containsExactly("OrderFilled", "PositionChanged", "OrderFilled", "PositionChanged");
        assertThat(api.audited())
                .filteredOn("eventType", "PositionChanged")
                .extracting("payload")
                .containsExactly(
                        Map.of("market", trading.market(), "volume", 0.5),
                        Map.of("market", trading.market(), "volume", 0.3));
    }

    @Test
    void concurrentFillsAreEachBookedOnce() {
        String intent = accepted("BUY", "10");
        String order = trading.identifierOf(intent);

        ExecutorService reporters = Executors.newFixedThreadPool(8);
        CompletableFuture<?>[] reports = IntStream.range(0, 40)
                .mapToObj((number) ->
                        CompletableFuture.runAsync(() -> fills.record(fill(order, number % 10, "1")), reporters))
                .toArray(CompletableFuture<?>[]::new);
        reporters.shutdown();
        CompletableFuture.allOf(reports).join();

        assertThat(trading.intent(intent)).containsEntry("status", "FILLED").containsEntry("filledVolume", 10);
        assertThat(position()).isEqualByComparingTo("10");
    }

    @Test
    void fillBeyondTheVolumeIsRecordedAndRefused() {
        String intent = accepted("BUY", "0.5");
        String order = trading.identifierOf(intent);
        trading.fill(order, "fill-1", "0.4");

        assertThat(trading.fill(order, "fill-2", "0.2")).isEqualTo(HttpStatus.CONFLICT);
        assertThat(trading.fill(order, "fill-2", "0.2")).isEqualTo(HttpStatus.CONFLICT);

        assertThat(api.awaitPublished())
                .containsExactly(
                        "CreateOrderAttempt",
                        "OrderAccepted",
                        "OrderPartiallyFilled",
                        "PositionChanged",
                        "FillRefused");
        assertThat(trading.intent(intent)).containsEntry("status", "PARTIALLY_FILLED");
        assertThat(position()).isEqualByComparingTo("0.4");
        assertThat(trading.messages())
                .contains("fill refused in %s until an operator decides: 0.6 executed of an order of 0.5"
                        .formatted(trading.market()));
    }

    @Test
    void fillIdWithAnotherVolumeIsRefused() {
        String order = trading.identifierOf(accepted("BUY", "0.5"));
        trading.fill(order, "fill-1", "0.1");

        assertThat(trading.fill(order, "fill-1", "0.2")).isEqualTo(HttpStatus.CONFLICT);

        assertThat(position()).isEqualByComparingTo("0.1");
    }

    @Test
    void lateFillCorrectsAnOrderThatNeverArrived() {
        trading.exchange("LOSE_REQUEST");
        String intent = trading.signal("BUY", "0.5");
        trading.awaitIntent(intent, "REJECTED");

        assertThat(trading.fill(trading.identifierOf(intent), "fill-1", "0.5")).isEqualTo(HttpStatus.OK);

        assertThat(api.awaitPublished())
                .containsExactly(
                        "CreateOrderAttempt", "OrderRejected", "OrderAccepted", "OrderFilled", "PositionChanged");
        assertThat(trading.statusesOf(intent)).containsExactly("ACKED");
        assertThat(trading.intent(intent)).containsEntry("status", "FILLED").containsEntry("reason", null);
        assertThat(position()).isEqualByComparingTo("0.5");
        assertThat(trading.messages())
                .containsExactlyInAnyOrder(
                        "order rejected in %s: it never reached the exchange".formatted(trading.market()),
                        "order accepted in " + trading.market(),
                        "order filled in %s: 0.5".formatted(trading.market()));
    }

    @ParameterizedTest
    @EnumSource(
            value = AttemptStatus.class,
            names = {"CREATED", "REQUESTED", "UNKNOWN", "THROTTLED", "REJECTED"})
    void fillIsBookedWhateverItsAttemptIs(AttemptStatus status) {
        OrderAttempt attempt = attemptIn(status);

        assertThat(fills.record(fill(attempt.identifier(), 1, "0.2"))).isTrue();
        // The answer to the request comes after the fill.
        conclusions.acked(attempt, "exchange-1");
        conclusions.rejected(attempt, "too late");
        conclusions.followUp(attempt);

        assertThat(attempts.ofIntent(attempt.orderIntentId()))
                .extracting(OrderAttempt::status)
                .containsExactly(AttemptStatus.ACKED);
        assertThat(trading.intent(attempt.orderIntentId().toString())).containsEntry("status", "PARTIALLY_FILLED");
        assertThat(position()).isEqualByComparingTo("0.2");
        assertThat(published(attempt)).containsExactly("OrderAccepted", "OrderPartiallyFilled");
    }

    private String accepted(String side, String volume) {
        String intent = trading.signal(side, volume);
        trading.awaitIntent(intent, "ACCEPTED");
        return intent;
    }

    /** Returns an attempt that no command executes and no reconciliation resolves. */
    private OrderAttempt attemptIn(AttemptStatus status) {
        UUID intent = new Signals(jdbc, new OrderAttempts(jdbc, new RecordingEventBus()))
                .accept(new Signal(trading.owner(), "EXTREME_FLIP", trading.market(), Side.BUY, BigDecimal.ONE));
        jdbc.sql("""
                UPDATE trading.order_attempts
                   SET status = :status, changed_at = now() + interval '1 hour'
                 WHERE order_intent_id = :intent
                """).param("status", status.name()).param("intent", intent).update();
        return attempts.ofIntent(intent).get(0);
    }

    private List<String> published(OrderAttempt attempt) {
        return jdbc.sql("""
                        SELECT event_type
                          FROM events.outbox
                         WHERE aggregate_type = 'order_intent'
                           AND aggregate_id = :id
                         ORDER BY aggregate_seq
                        """)
                .param("id", attempt.orderIntentId().toString())
                .query(String.class)
                .list();
    }

    private BigDecimal position() {
        return jdbc.sql("SELECT volume FROM trading.positions WHERE owner_id = :owner AND market = :market")
                .param("owner", trading.owner())
                .param("market", trading.market())
                .query(BigDecimal.class)
                .single();
    }

    private static Fill fill(String identifier, int number, String volume) {
        return new Fill(identifier, "fill-" + number, "exchange-1", new BigDecimal(volume));
    }
}
