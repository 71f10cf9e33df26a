package dev.outbox.sample.backtest.kafka;

import dev.outbox.sample.eventbus.Attachment;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Copies of backtests. The service that runs backtests owns their status. */
@Repository
public class BacktestCopies implements Attachment {

    private static final String READ = """
            SELECT to_jsonb(b)
              FROM backtest.backtests b
             WHERE b.id = CAST(CAST(:payload AS jsonb) ->> 'backtestId' AS uuid)
            """;

    private static final String ADD = """
            INSERT INTO backtest.backtests
            SELECT *
              FROM jsonb_populate_record(NULL::backtest.backtests, CAST(:row AS jsonb))
            ON CONFLICT (id)
            """;

    private static final String KEEP = "DO NOTHING";

    private static final String REPLACE = """
            DO UPDATE
               SET status = excluded.status,
                   trades = excluded.trades,
                   profit = excluded.profit,
                   reason = excluded.reason
            """;

    private final JdbcClient jdbc;

    BacktestCopies(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Set<String> messageTypes() {
        return Set.of("RunBacktest", "BacktestCompleted", "BacktestFailed");
    }

    @Override
    public String read(String payload) {
        return jdbc.sql(READ).param("payload", payload).query(String.class).single();
    }

    /** Stores the backtest of a command that comes from another service. Changes nothing if it is known or the command is of this service. */
    public void add(Map<String, String> headers) {
        write(headers.get(HEADER), KEEP);
    }

    /** Stores the result of a backtest that another service ran. */
    public void replace(Map<String, String> headers) {
        write(headers.get(HEADER), REPLACE);
    }

    private void write(@Nullable String row, String ifExists) {
        if (row != null) {
            jdbc.sql(ADD + ifExists).param("row", row).update();
        }
    }
}
