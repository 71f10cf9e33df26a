package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.trading.Exchange.Executions;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Which orders a run asks for. */
@SampleTest
class FillPollingTest {

    private final String owner = "OWNER-" + UUID.randomUUID();
    private final ScriptedExchange exchange = new ScriptedExchange();
    private final List<String> asked = new ArrayList<>();

    @Autowired
    private OrderAttempts attempts;

    @Autowired
    private Fills fills;

    @Autowired
    private JdbcClient jdbc;

    private FillPolling polling;
    private List<String> orders;

    @BeforeEach
    void openOrders() {
        polling = new FillPolling(jdbc, exchange, fills);
        orders = Stream.generate(this::accepted).limit(3).sorted().toList();
    }

    @Test
    void interruptedRunIsContinuedBehindItsLastOrder() {
        failsAt(orders.get(0), Duration.ZERO);

        polling.runOnce();
        polling.runOnce();
        polling.runOnce();

        assertThat(asked).containsExactly(orders.get(0), orders.get(1), orders.get(2), orders.get(0));
    }

    @Test
    void runsAreSkippedUntilTheExchangeMayBeAskedAgain() {
        failsAt(orders.get(0), Duration.ofHours(1));

        polling.runOnce();
        polling.runOnce();

        assertThat(asked).containsExactly(orders.get(0));
    }

    @Test
    void pauseEnds() {
        failsAt(orders.get(0), Duration.ofMillis(1));

        await().atMost(Api.DEADLINE).untilAsserted(() -> {
            polling.runOnce();
            assertThat(asked).contains(orders.get(2));
        });
    }

    @Test
    void endedOrderIsAskedForOnce() {
        String ended = orders.get(1);
        Fill fill = new Fill(ended, "fill-1", "exchange-1", new BigDecimal("0.2"));
        exchange.executes((identifier) -> {
            ask(identifier);
            return identifier.equals(ended) ? new Executions(List.of(fill), true) : Executions.NONE;
        });

        polling.runOnce();
        polling.runOnce();

        assertThat(asked).containsExactly(orders.get(0), ended, orders.get(2), orders.get(0), orders.get(2));
        assertThat(jdbc.sql("SELECT status FROM trading.order_intents WHERE owner_id = :owner ORDER BY filled_volume")
                        .param("owner", owner)
                        .query(String.class)
                        .list())
                .containsExactly("ACCEPTED", "ACCEPTED", "PARTIALLY_FILLED");
    }

    private void failsAt(String order, Duration retryAfter) {
        exchange.executes((identifier) -> {
            ask(identifier);
            if (identifier.equals(order)) {
                throw new ExchangeUnreachableException("429", retryAfter);
            }
            return Executions.NONE;
        });
    }

    /** Leaves out the orders of other tests. */
    private void ask(String identifier) {
        if (orders.contains(identifier)) {
            asked.add(identifier);
        }
    }

    private String accepted() {
        UUID intent = new Signals(jdbc, new OrderAttempts(jdbc, new RecordingEventBus()))
                .accept(new Signal(owner, "EXTREME_FLIP", "KRW-TEST", Side.BUY, BigDecimal.ONE));
        jdbc.sql("UPDATE trading.order_intents SET status = 'ACCEPTED' WHERE id = :id")
                .param("id", intent)
                .update();
        jdbc.sql("UPDATE trading.order_attempts SET status = 'ACKED' WHERE order_intent_id = :id")
                .param("id", intent)
                .update();
        return attempts.ofIntent(intent).get(0).identifier();
    }
}
