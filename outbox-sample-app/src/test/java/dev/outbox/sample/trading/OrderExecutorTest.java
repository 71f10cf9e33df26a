package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.sample.SampleTest;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.events.TradeCommand.CreateOrderAttempt;
import dev.outbox.sample.events.TradeEvent.OrderAccepted;
import dev.outbox.sample.events.TradeEvent.OrderHalted;
import dev.outbox.sample.events.TradeEvent.OrderRejected;
import dev.outbox.sample.events.TradeEvent.OrderThrottled;
import dev.outbox.sample.trading.Exchange.Answer;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The domain of trading on another event bus and another exchange: it knows both as ports only. */
@SampleTest
class OrderExecutorTest {

    private final RecordingEventBus bus = new RecordingEventBus();
    private final ScriptedExchange exchange = new ScriptedExchange();

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TransactionTemplate transaction;

    private OrderAttempts attempts;
    private OrderIntents intents;
    private Conclusions conclusions;
    private OrderExecutor executor;
    private UUID intent;

    @BeforeEach
    void acceptSignal() {
        attempts = new OrderAttempts(jdbc, bus);
        intents = new OrderIntents(jdbc);
        conclusions = new Conclusions(attempts, intents, bus);
        Signals signals = new Signals(jdbc, attempts);
        executor = new OrderExecutor(signals, attempts, new TradingPolicy(jdbc), exchange, conclusions);
        intent = signals.accept(new Signal("OWNER", "EXTREME_FLIP", "KRW-TEST", Side.BUY, BigDecimal.ONE));
    }

    @Test
    void commandOfAnotherServiceBringsItsOrder() {
        CreateOrderAttempt command = commandFor(UUID.randomUUID());
        exchange.answers(() -> new Answer.Accepted("exchange-1"));

        executor.execute(command);
        executor.execute(command);

        assertThat(exchange.placements()).isOne();
        assertThat(intents.find(command.orderIntentId()))
                .hasValue(new OrderIntent(
                        command.orderIntentId(),
                        "OWNER",
                        "EXTREME_FLIP",
                        "KRW-TEST",
                        Side.SELL,
                        command.volume(),
                        command.price(),
                        BigDecimal.ZERO,
                        IntentStatus.ACCEPTED,
                        null));
        assertThat(attempts.ofIntent(command.orderIntentId()))
                .singleElement()
                .satisfies((attempt) -> assertThat(attempt.identifier()).isEqualTo(command.identifier()));
    }

    static Stream<Ending> endings() {
        return Stream.of(
                new Ending(() -> new Answer.Accepted("exchange-1"), AttemptStatus.ACKED, OrderAccepted.class),
                new Ending(() -> new Answer.Rejected("400"), AttemptStatus.REJECTED, OrderRejected.class),
                new Ending(
                        () -> new Answer.Throttled(Duration.ofHours(1)), AttemptStatus.THROTTLED, OrderThrottled.class),
                new Ending(
                        () -> {
                            throw new NoAnswerException("timeout");
                        },
                        AttemptStatus.UNKNOWN,
                        null));
    }

    @ParameterizedTest
    @MethodSource("endings")
    void commandThatComesAgainFindsItsAttemptConcluded(Ending ending) {
        exchange.answers(ending.answer());

        executor.execute(attempt());
        OrderAttempt concluded = attempt();
        executor.execute(attempt());

        assertThat(concluded.status()).isEqualTo(ending.status());
        assertThat(attempt()).isEqualTo(concluded);
        assertThat(exchange.placements()).isOne();
        assertThat(eventsAfterTheCommand())
                .extracting((message) -> (Object) message.payload().getClass())
                .isEqualTo(ending.event() == null ? List.of() : List.of(ending.event()));
    }

    @Test
    void requestWithoutStoredAnswerIsNotRepeated() {
        attempts.move(attempt(), AttemptStatus.REQUESTED, null);

        executor.execute(attempt());

        assertThat(attempt().status()).isEqualTo(AttemptStatus.UNKNOWN);
        assertThat(attempt().reason()).isEqualTo("no answer was stored");
        assertThat(exchange.placements()).isZero();
    }

    @Test
    void answerThatComesLateCounts() {
        exchange.answers(() -> {
            // Meanwhile another worker receives the command, because this worker seems dead.
            executor.execute(attempt());
            return new Answer.Accepted("exchange-1");
        });

        executor.execute(attempt());

        assertThat(attempt().status()).isEqualTo(AttemptStatus.ACKED);
        assertThat(exchange.placements()).isOne();
        assertThat(eventsAfterTheCommand()).hasSize(1);
    }

    @Test
    void answerCorrectsARejectionByTheReconciliation() {
        exchange.answers(() -> {
            executor.execute(attempt());
            conclusions.rejected(attempt(), "it never reached the exchange");
            return new Answer.Accepted("exchange-1");
        });

        executor.execute(attempt());

        assertThat(attempt().status()).isEqualTo(AttemptStatus.ACKED);
        assertThat(statusOfIntent()).isEqualTo(IntentStatus.ACCEPTED);
        assertThat(eventsAfterTheCommand())
                .extracting((message) -> (Object) message.payload().getClass())
                .containsExactly(OrderRejected.class, OrderAccepted.class);
    }

    @Test
    void lostAnswerReopensARejectionByTheReconciliation() {
        exchange.answers(() -> {
            executor.execute(attempt());
            conclusions.rejected(attempt(), "it never reached the exchange");
            throw new NoAnswerException("no answer in time");
        });

        executor.execute(attempt());

        assertThat(attempt().status()).isEqualTo(AttemptStatus.UNKNOWN);
        conclusions.rejected(attempt(), "it never reached the exchange");
        assertThat(eventsAfterTheCommand())
                .extracting((message) -> (Object) message.payload().getClass())
                .containsExactly(OrderRejected.class);
    }

    @Test
    void attemptIsOpenedOnceForItsNumber() {
        attempts.open(intent, 1, attempt().signalId(), attempt().signal());

        assertThat(attempts.ofIntent(intent)).hasSize(1);
        assertThat(bus.messages()).hasSize(1);
    }

    @Test
    void conclusionIsReachedOnce() {
        attempts.move(attempt(), AttemptStatus.REQUESTED, null);

        conclusions.acked(attempt(), "exchange-1");
        conclusions.rejected(attempt(), "too late");
        conclusions.acked(attempt(), "exchange-2");

        assertThat(attempt().status()).isEqualTo(AttemptStatus.ACKED);
        assertThat(eventsAfterTheCommand()).hasSize(1);
    }

    @Test
    void laterAttemptIsNotSentOnceAnEarlierOneIsFilled() {
        exchange.answers(() -> new Answer.Throttled(Duration.ZERO));
        executor.execute(attempt());
        conclusions.followUp(attempt());
        conclusions.acked(attempt(), "exchange-1");
        OrderAttempt later = attempts.ofIntent(intent).get(1);

        executor.execute(later);

        assertThat(attempts.ofIntent(intent))
                .extracting(OrderAttempt::status)
                .containsExactly(AttemptStatus.ACKED, AttemptStatus.REJECTED);
        assertThat(exchange.placements()).isOne();
        assertThat(statusOfIntent()).isEqualTo(IntentStatus.ACCEPTED);
        assertThat(eventsAfterTheCommand())
                .extracting((message) -> (Object) message.payload().getClass())
                .containsExactly(OrderThrottled.class, CreateOrderAttempt.class, OrderAccepted.class);
    }

    @Test
    void deadCommandHaltsTheIntentUntilItIsRetried() {
        executor.gaveUp(attempt().id(), "the kill switch is on");
        executor.gaveUp(attempt().id(), "the kill switch is on");
        assertThat(statusOfIntent()).isEqualTo(IntentStatus.HALTED);
        assertThat(eventsAfterTheCommand())
                .extracting(Message::payload)
                .containsExactly(new OrderHalted(intent, attempt().id(), "the kill switch is on"));

        executor.execute(attempt());

        assertThat(attempt().status()).isEqualTo(AttemptStatus.ACKED);
        assertThat(statusOfIntent()).isEqualTo(IntentStatus.ACCEPTED);
    }

    @Test
    void deadCommandWhoseOrderWasSentIsReconciled() {
        attempts.move(attempt(), AttemptStatus.REQUESTED, null);

        executor.gaveUp(attempt().id(), "CRASH_LOOP");

        assertThat(attempt().status()).isEqualTo(AttemptStatus.UNKNOWN);
        assertThat(statusOfIntent()).isEqualTo(IntentStatus.OPEN);
        assertThat(eventsAfterTheCommand()).isEmpty();
    }

    @Test
    void staleSettingDoesNotReplaceANewerOne() {
        TradingPolicy policy = new TradingPolicy(jdbc);
        long seq = jdbc.sql("SELECT coalesce(max(seq), 0) FROM trading.settings")
                .query(Long.class)
                .single();

        transaction.executeWithoutResult((status) -> {
            policy.remember("kill-switch", "on", seq + 2);
            policy.remember("kill-switch", "off", seq + 1);

            assertThatThrownBy(() -> policy.check(attempt())).isInstanceOf(TradingHaltedException.class);
            status.setRollbackOnly();
        });
    }

    /** Returns the command of an attempt that this service does not know. */
    private static CreateOrderAttempt commandFor(UUID orderIntentId) {
        UUID id = UUID.randomUUID();
        return new CreateOrderAttempt(
                id,
                orderIntentId,
                1,
                "everbit-" + id,
                UUID.randomUUID(),
                "OWNER",
                "EXTREME_FLIP",
                "KRW-TEST",
                "SELL",
                new BigDecimal("0.5"),
                new BigDecimal("100"));
    }

    private IntentStatus statusOfIntent() {
        return intents.find(intent).orElseThrow().status();
    }

    private OrderAttempt attempt() {
        return attempts.ofIntent(intent).get(0);
    }

    private List<Message> eventsAfterTheCommand() {
        return bus.messages().subList(1, bus.messages().size());
    }

    record Ending(Supplier<Answer> answer, AttemptStatus status, Class<?> event) {

        @Override
        public String toString() {
            return status.name();
        }
    }
}
