package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.TradeCommand.CreateOrderAttempt;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores attempts, and permits only the transitions of {@link AttemptStatus}. */
@Repository
class OrderAttempts {

    private static final String COLUMNS = """
            SELECT a.id, a.order_intent_id, i.signal_id, a.attempt_no, a.identifier, a.status, a.reason,
                   i.owner_id, i.strategy_key, i.market, i.side, i.volume, i.price, i.trace_id
              FROM trading.order_attempts a
              JOIN trading.order_intents i ON i.id = a.order_intent_id
            """;

    private static final String ADD = """
            INSERT INTO trading.order_attempts (id, order_intent_id, attempt_no, identifier)
            VALUES (:attemptId, :orderIntentId, :attemptNo, :identifier)
            ON CONFLICT (order_intent_id, attempt_no) DO NOTHING
            """;

    private static final String FOLLOW = """
            INSERT INTO trading.order_attempts (id, order_intent_id, attempt_no, identifier, status, reason)
            SELECT :id, i.id, :attemptNo, :identifier, :status, :reason
              FROM trading.order_intents i
             WHERE i.id = :orderIntentId
            ON CONFLICT (id) DO UPDATE
               SET status = excluded.status,
                   reason = excluded.reason,
                   changed_at = now()
            """;

    private static final String MOVE = """
            UPDATE trading.order_attempts
               SET status = :status,
                   reason = :reason,
                   changed_at = now()
             WHERE id = :id
               AND status IN (:predecessors)
            """;

    private static final String MISS_ANSWER = """
            UPDATE trading.order_attempts
               SET status = 'UNKNOWN',
                   reason = :reason,
                   changed_at = now()
             WHERE id = :id
               AND status IN ('REQUESTED', 'UNKNOWN', 'REJECTED')
            """;

    private static final String REJECT_UNKNOWN = """
            UPDATE trading.order_attempts
               SET status = 'REJECTED',
                   reason = :reason,
                   changed_at = now()
             WHERE id = :id
               AND status = 'UNKNOWN'
               AND changed_at <= :markedAt
            """;

    private static final String PAUSE = """
            UPDATE trading.order_attempts
               SET retry_at = now() + make_interval(secs => :seconds)
             WHERE id = :id
            """;

    private static final String END_PAUSE = """
            UPDATE trading.order_attempts
               SET retry_at = NULL
             WHERE id = :id
               AND status = 'THROTTLED'
               AND retry_at IS NOT NULL
            """;

    private static final String FIND = COLUMNS + " WHERE a.id = :id";

    private static final String LOCK = COLUMNS + " WHERE a.id = :id FOR NO KEY UPDATE OF a";

    private static final String LOCK_BY_IDENTIFIER =
            COLUMNS + " WHERE a.identifier = :identifier FOR NO KEY UPDATE OF a";

    private static final String OF_INTENT = COLUMNS + " WHERE a.order_intent_id = :id ORDER BY a.attempt_no";

    private final JdbcClient jdbc;
    private final EventBus bus;

    OrderAttempts(JdbcClient jdbc, EventBus bus) {
        this.jdbc = jdbc;
        this.bus = bus;
    }

    /** Opens an attempt and publishes the command to execute it, in the caller's transaction and once for each number. */
    void open(UUID orderIntentId, int attemptNo, UUID signalId, Signal signal) {
        UUID id = UUID.randomUUID();
        CreateOrderAttempt command = new CreateOrderAttempt(
                id,
                orderIntentId,
                attemptNo,
                identifierOf(id),
                signalId,
                signal.ownerId(),
                signal.strategyKey(),
                signal.market(),
                signal.side().name(),
                signal.volume(),
                signal.price());
        if (add(command)) {
            bus.publish(new Message(Streams.TRADE_COMMAND, "order_attempt", id.toString(), command, signal.origin()));
        }
    }

    /** Stores the attempt of a command. Returns {@code false} and changes nothing if the intent has an attempt with this number. */
    boolean add(CreateOrderAttempt command) {
        return jdbc.sql(ADD).paramSource(command).update() == 1;
    }

    /** Stores the status of an attempt that another service executes and may have opened. Does nothing if the intent is unknown. */
    void follow(UUID id, UUID orderIntentId, int attemptNo, AttemptStatus status, @Nullable String reason) {
        jdbc.sql(FOLLOW)
                .param("id", id)
                .param("orderIntentId", orderIntentId)
                .param("attemptNo", attemptNo)
                .param("identifier", identifierOf(id))
                .param("status", status.name())
                .param("reason", reason)
                .update();
    }

    /** Changes the status. Returns {@code false} and changes nothing if the current status does not permit it. */
    boolean move(OrderAttempt attempt, AttemptStatus status, @Nullable String reason) {
        List<String> predecessors =
                status.predecessors().stream().map(AttemptStatus::name).toList();
        return jdbc.sql(MOVE)
                        .param("id", attempt.id())
                        .param("status", status.name())
                        .param("reason", reason)
                        .param("predecessors", predecessors)
                        .update()
                == 1;
    }

    /**
     * Marks an attempt as unknown whose sender got no answer, and restarts its settle time. Only the sender may call this: it alone knows that
     * a rejection in the meantime came from the reconciliation and not from the exchange.
     */
    boolean missAnswer(OrderAttempt attempt, String reason) {
        return jdbc.sql(MISS_ANSWER)
                        .param("id", attempt.id())
                        .param("reason", reason)
                        .update()
                == 1;
    }

    /** Rejects an unknown attempt, unless its sender has lost an answer since it was marked. */
    boolean rejectUnknown(OrderAttempt attempt, OffsetDateTime markedAt, String reason) {
        return jdbc.sql(REJECT_UNKNOWN)
                        .param("id", attempt.id())
                        .param("markedAt", markedAt)
                        .param("reason", reason)
                        .update()
                == 1;
    }

    /** Sets when the attempt after a throttled one is due. */
    void pause(OrderAttempt throttled, Duration duration) {
        jdbc.sql(PAUSE)
                .param("id", throttled.id())
                .param("seconds", duration.toMillis() / 1000.0)
                .update();
    }

    /** Returns {@code true} once for each throttled attempt: only one transaction decides what follows it. */
    boolean endPause(OrderAttempt throttled) {
        return jdbc.sql(END_PAUSE).param("id", throttled.id()).update() == 1;
    }

    Optional<OrderAttempt> find(UUID id) {
        return jdbc.sql(FIND).param("id", id).query(OrderAttempt.class).optional();
    }

    /** Finds an attempt, which does not change until the caller's transaction ends. */
    Optional<OrderAttempt> lock(UUID id) {
        return jdbc.sql(LOCK).param("id", id).query(OrderAttempt.class).optional();
    }

    Optional<OrderAttempt> lockByIdentifier(String identifier) {
        return jdbc.sql(LOCK_BY_IDENTIFIER)
                .param("identifier", identifier)
                .query(OrderAttempt.class)
                .optional();
    }

    List<OrderAttempt> ofIntent(UUID orderIntentId) {
        return jdbc.sql(OF_INTENT)
                .param("id", orderIntentId)
                .query(OrderAttempt.class)
                .list();
    }

    private static String identifierOf(UUID id) {
        return "everbit-" + id;
    }
}
