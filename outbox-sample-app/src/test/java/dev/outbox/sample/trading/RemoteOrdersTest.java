package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.TradeEvent;
import dev.outbox.sample.events.TradeEvent.OrderAccepted;
import dev.outbox.sample.events.TradeEvent.OrderAttemptsExhausted;
import dev.outbox.sample.events.TradeEvent.OrderFilled;
import dev.outbox.sample.events.TradeEvent.OrderHalted;
import dev.outbox.sample.events.TradeEvent.OrderPartiallyFilled;
import dev.outbox.sample.events.TradeEvent.OrderRejected;
import dev.outbox.sample.events.TradeEvent.OrderThrottled;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An order that another service executes: this one knows its events only. */
@SampleTest
class RemoteOrdersTest {

    @Autowired
    private RemoteOrders orders;

    @Autowired
    private OrderAttempts attempts;

    @Autowired
    private OrderIntents intents;

    @Autowired
    private JdbcClient jdbc;

    private UUID intent;
    private UUID attempt;

    @BeforeEach
    void acceptSignal() {
        intent = new Signals(jdbc, new OrderAttempts(jdbc, new RecordingEventBus()))
                .accept(new Signal("OWNER", "EXTREME_FLIP", "KRW-TEST", Side.BUY, BigDecimal.TEN));
        attempt = attempts.ofIntent(intent).get(0).id();
    }

    @Test
    void attemptsOfTheOtherServiceAreAdded() {
        follow(
                new OrderThrottled(intent, attempt, 1),
                new OrderThrottled(intent, UUID.randomUUID(), 2),
                new OrderAccepted(intent, UUID.randomUUID(), 3, "exchange-1"));

        assertThat(attempts.ofIntent(intent))
                .extracting(OrderAttempt::status)
                .containsExactly(AttemptStatus.THROTTLED, AttemptStatus.THROTTLED, AttemptStatus.ACKED);
        assertThat(intent().status()).isEqualTo(IntentStatus.ACCEPTED);
    }

    @Test
    void attemptsMayBeExhausted() {
        follow(new OrderThrottled(intent, attempt, 1), new OrderAttemptsExhausted(intent, 1));

        assertThat(intent().status()).isEqualTo(IntentStatus.EXHAUSTED);
        assertThat(intent().reason()).isEqualTo("the exchange was too busy for 1 attempts");
    }

    @Test
    void haltedOrderMayBeRejectedAfterARetry() {
        follow(
                new OrderHalted(intent, attempt, "the kill switch is on"),
                new OrderRejected(intent, attempt, 1, "invalid"));

        assertThat(intent().status()).isEqualTo(IntentStatus.REJECTED);
        assertThat(intent().reason()).isEqualTo("invalid");
        assertThat(attempts.ofIntent(intent))
                .extracting(OrderAttempt::status, OrderAttempt::reason)
                .containsExactly(tuple(AttemptStatus.REJECTED, "invalid"));
    }

    @Test
    void fillsCompleteTheOrder() {
        follow(
                new OrderAccepted(intent, attempt, 1, "exchange-1"),
                new OrderPartiallyFilled(intent, attempt, "fill-1", new BigDecimal(4), new BigDecimal(4)));
        assertThat(intent().status()).isEqualTo(IntentStatus.PARTIALLY_FILLED);

        follow(new OrderFilled(intent, attempt, "fill-2", new BigDecimal(6), BigDecimal.TEN));

        assertThat(intent().status()).isEqualTo(IntentStatus.FILLED);
        assertThat(intent().filledVolume()).isEqualByComparingTo("10");
    }

    @Test
    void ordersOfOtherSignalsAreIgnored() {
        UUID other = UUID.randomUUID();

        follow(
                new OrderAccepted(other, UUID.randomUUID(), 1, "exchange-1"),
                new OrderFilled(other, UUID.randomUUID(), "fill-1", BigDecimal.ONE, BigDecimal.ONE));

        assertThat(intents.find(other)).isEmpty();
        assertThat(attempts.ofIntent(other)).isEmpty();
    }

    private void follow(TradeEvent... events) {
        List.of(events).forEach(orders::follow);
    }

    private OrderIntent intent() {
        return intents.find(intent).orElseThrow();
    }
}
