package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.math.BigDecimal;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The kill switch stops every order that has not been sent. */
@SampleTest
class KillSwitchTest {

    @Autowired
    private Api api;

    @Autowired
    private TradingPolicy policy;

    @Autowired
    private OrderAttempts attempts;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TransactionTemplate transaction;

    private TradingApi trading;

    @BeforeEach
    void connect() {
        trading = new TradingApi(api);
    }

    @AfterEach
    void turnOff() {
        kill(false);
    }

    @Test
    void orderIsNotSentUntilOperatorRetriesIt() {
        kill(true);
        String intent = trading.signal("BUY", "0.5");
        String command = trading.awaitDeadCommand();
        trading.awaitIntent(intent, "HALTED");
        assertThat(api.events())
                .extracting("eventType", "status", "retryCount", "lastErrorCode")
                .contains(tuple("CreateOrderAttempt", "DEAD", 1, "TradingHaltedException"));
        assertThat(trading.statusesOf(intent)).containsExactly("CREATED");

        kill(false);
        assertThat(trading.placements()).isEmpty();
        assertThat(trading.retry(command)).containsEntry("affected", 1);

        trading.awaitIntent(intent, "ACCEPTED");
        assertThat(trading.placements()).containsExactly(1);
    }

    @Test
    void staleSettingDoesNotReplaceANewerOne() {
        String key = "kill-switch";
        long seq = jdbc.sql("SELECT coalesce(max(seq), 0) FROM trading.settings")
                .query(Long.class)
                .single();
        UUID intent = new Signals(jdbc, new OrderAttempts(jdbc, new RecordingEventBus()))
                .accept(new Signal(trading.owner(), "EXTREME_FLIP", trading.market(), Side.BUY, BigDecimal.ONE));
        OrderAttempt attempt = attempts.ofIntent(intent).get(0);

        transaction.executeWithoutResult((status) -> {
            policy.remember(key, "on", seq + 2);
            policy.remember(key, "off", seq + 1);

            assertThatThrownBy(() -> policy.check(attempt)).isInstanceOf(TradingHaltedException.class);
            status.setRollbackOnly();
        });
    }

    private void kill(boolean on) {
        trading.change("kill-switch", "{\"on\": " + on + "}");
    }
}
