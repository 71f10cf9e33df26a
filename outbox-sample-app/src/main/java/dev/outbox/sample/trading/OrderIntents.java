package dev.outbox.sample.trading;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores intents, and permits only the transitions of {@link IntentStatus}. Transactions lock an attempt before its intent. */
@Repository
class OrderIntents {

    private static final String FIND = """
            SELECT id, owner_id, strategy_key, market, side, volume, price, filled_volume, status, reason
              FROM trading.order_intents
             WHERE id = :id
            """;

    private static final String LOCK = """
            SELECT status
              FROM trading.order_intents
             WHERE id = :id
               FOR NO KEY UPDATE
            """;

    private static final String MOVE = """
            UPDATE trading.order_intents
               SET status = :status,
                   reason = :reason,
                   changed_at = now()
             WHERE id = :id
               AND status IN (:predecessors)
            """;

    private static final String FILL = """
            UPDATE trading.order_intents
               SET filled_volume = filled_volume + :volume,
                   changed_at = now()
             WHERE id = :id
            RETURNING filled_volume >= volume
            """;

    private final JdbcClient jdbc;

    OrderIntents(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Optional<OrderIntent> find(UUID id) {
        return jdbc.sql(FIND).param("id", id).query(OrderIntent.class).optional();
    }

    /** Returns the status, which does not change until the caller's transaction ends. */
    IntentStatus lock(UUID id) {
        return jdbc.sql(LOCK).param("id", id).query(IntentStatus.class).single();
    }

    /** Changes the status. Returns {@code false} and changes nothing if the current status does not permit it. */
    boolean move(UUID id, IntentStatus status, @Nullable String reason) {
        List<String> predecessors =
                status.predecessors().stream().map(IntentStatus::name).toList();
        return jdbc.sql(MOVE)
                        .param("id", id)
                        .param("status", status.name())
                        .param("reason", reason)
                        .param("predecessors", predecessors)
                        .update()
                == 1;
    }

    /** Adds a volume that the exchange has executed. */
    void fill(UUID id, BigDecimal volume) {
        boolean filled = jdbc.sql(FILL)
                .param("id", id)
                .param("volume", volume)
                .query(Boolean.class)
                .single();
        move(id, filled ? IntentStatus.FILLED : IntentStatus.PARTIALLY_FILLED, null);
    }
}
