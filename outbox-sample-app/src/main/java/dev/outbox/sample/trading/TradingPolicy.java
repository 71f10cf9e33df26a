package dev.outbox.sample.trading;

import java.math.BigDecimal;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/** Trading rules: a copy of the trading settings, kept up to date by events. */
@Service
public class TradingPolicy {

    private static final String REMEMBER = """
            INSERT INTO trading.settings (key, value, seq)
            VALUES (:key, :value, :seq)
            ON CONFLICT (key) DO UPDATE
               SET value = excluded.value, seq = excluded.seq
             WHERE settings.seq < excluded.seq
            """;

    private static final String FIND = """
            SELECT value
              FROM trading.settings
             WHERE key = :key
            """;

    private final JdbcClient jdbc;

    TradingPolicy(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Stores a setting, unless a later value is already stored. */
    public void remember(String key, String value, long seq) {
        jdbc.sql(REMEMBER)
                .param("key", key)
                .param("value", value)
                .param("seq", seq)
                .update();
    }

    void check(OrderAttempt attempt) {
        if (setting("kill-switch").filter("on"::equals).isPresent()) {
            throw new TradingHaltedException(
                    "the kill switch is on, so order " + attempt.identifier() + " is not placed");
        }
        Optional<BigDecimal> limit = setting("max-volume").map(BigDecimal::new);
        if (limit.isPresent() && attempt.volume().compareTo(limit.get()) > 0) {
            throw new TradingHaltedException(
                    "order " + attempt.identifier() + " is above the largest volume " + limit.get());
        }
    }

    private Optional<String> setting(String key) {
        return jdbc.sql(FIND).param("key", key).query(String.class).optional();
    }
}
