package dev.outbox.sample.trading.kafka;

import dev.outbox.sample.eventbus.Attachment;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** Copies of orders: each is a signal, its intent and the attempts. The service that executes orders owns their status. */
@Repository
public class OrderCopies implements Attachment {

    private static final String READ = """
            SELECT jsonb_build_object(
                       'signal', to_jsonb(s),
                       'intent', to_jsonb(i),
                       'attempts', (SELECT jsonb_agg(to_jsonb(a) ORDER BY a.attempt_no)
                                      FROM trading.order_attempts a
                                     WHERE a.order_intent_id = i.id))
              FROM trading.order_intents i
              JOIN trading.signals s ON s.id = i.signal_id
             WHERE i.id = CAST(CAST(:payload AS jsonb) ->> 'orderIntentId' AS uuid)
            """;

    private static final String ADD_SIGNAL = """
            INSERT INTO trading.signals
            SELECT *
              FROM jsonb_populate_record(NULL::trading.signals, CAST(:rows AS jsonb) -> 'signal')
            ON CONFLICT (id) DO NOTHING
            """;

    private static final String ADD_INTENT = """
            INSERT INTO trading.order_intents
            SELECT *
              FROM jsonb_populate_record(NULL::trading.order_intents, CAST(:rows AS jsonb) -> 'intent')
            ON CONFLICT (id)
            """;

    private static final String ADD_ATTEMPTS = """
            INSERT INTO trading.order_attempts
            SELECT *
              FROM jsonb_populate_recordset(NULL::trading.order_attempts, CAST(:rows AS jsonb) -> 'attempts')
            ON CONFLICT (id)
            """;

    private static final String KEEP = "DO NOTHING";

    private static final String REPLACE_INTENT = """
            DO UPDATE
               SET filled_volume = excluded.filled_volume,
                   status = excluded.status,
                   reason = excluded.reason,
                   changed_at = excluded.changed_at
            """;

    private static final String REPLACE_ATTEMPT = """
            DO UPDATE
               SET status = excluded.status,
                   reason = excluded.reason,
                   retry_at = excluded.retry_at,
                   changed_at = excluded.changed_at
            """;

    private final JdbcClient jdbc;

    OrderCopies(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Set<String> messageTypes() {
        return Set.of(
                "CreateOrderAttempt",
                "OrderAccepted",
                "OrderRejected",
                "OrderAttemptsExhausted",
                "OrderHalted",
                "OrderPartiallyFilled",
                "OrderFilled",
                "FillRefused");
    }

    @Override
    public String read(String payload) {
        return jdbc.sql(READ).param("payload", payload).query(String.class).single();
    }

    /** Stores the order of a command that comes from another service. Changes nothing if the order is known or the command is of this service. */
    @Transactional
    public void add(Map<String, String> headers) {
        write(headers.get(HEADER), KEEP, KEEP);
    }

    /** Stores the latest status of an order that another service executes. */
    @Transactional
    public void replace(Map<String, String> headers) {
        write(headers.get(HEADER), REPLACE_INTENT, REPLACE_ATTEMPT);
    }

    private void write(@Nullable String rows, String ifIntentExists, String ifAttemptExists) {
        if (rows != null) {
            jdbc.sql(ADD_SIGNAL).param("rows", rows).update();
            jdbc.sql(ADD_INTENT + ifIntentExists).param("rows", rows).update();
            jdbc.sql(ADD_ATTEMPTS + ifAttemptExists).param("rows", rows).update();
        }
    }
}
