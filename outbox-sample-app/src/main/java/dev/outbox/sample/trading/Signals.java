package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.events.TradeCommand.CreateOrderAttempt;
import java.util.UUID;
import org.slf4j.MDC;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes signals. Stores the signal, the intent, the first attempt and the command to execute it in one transaction. */
@Service
class Signals {

    private static final String STORE = """
            INSERT INTO trading.signals (id, owner_id, strategy_key, market, side, volume, price)
            VALUES (:id, :ownerId, :strategyKey, :market, :side, :volume, :price)
            ON CONFLICT (id) DO NOTHING
            """;

    private static final String INTEND = """
            INSERT INTO trading.order_intents (id, signal_id, owner_id, strategy_key, market, side, volume, price, trace_id)
            SELECT :id, id, owner_id, strategy_key, market, side, volume, price, :traceId
              FROM trading.signals
             WHERE id = :signalId
            ON CONFLICT (id) DO NOTHING
            """;

    private final JdbcClient jdbc;
    private final OrderAttempts attempts;

    Signals(JdbcClient jdbc, OrderAttempts attempts) {
        this.jdbc = jdbc;
        this.attempts = attempts;
    }

    /** Returns the id of the intent. */
    @Transactional
    UUID accept(Signal signal) {
        UUID signalId = UUID.randomUUID();
        UUID intentId = UUID.randomUUID();
        store(signalId, intentId, signal);
        attempts.open(intentId, 1, signalId, signal);
        return intentId;
    }

    /**
     * Stores the signal, the intent and the attempt of a command, unless they are known.
     *
     * @throws UnknownAttemptException if the intent has another attempt with this number
     */
    @Transactional
    OrderAttempt add(CreateOrderAttempt command) {
        Signal signal = new Signal(
                command.ownerId(),
                command.strategyKey(),
                command.market(),
                Side.valueOf(command.side()),
                command.volume(),
                command.price());
        store(command.signalId(), command.orderIntentId(), signal);
        attempts.add(command);
        UUID id = command.attemptId();
        return attempts.find(id).orElseThrow(() -> new UnknownAttemptException("there is no order attempt " + id));
    }

    private void store(UUID signalId, UUID intentId, Signal signal) {
        jdbc.sql(STORE)
                .param("id", signalId)
                .param("ownerId", signal.ownerId())
                .param("strategyKey", signal.strategyKey())
                .param("market", signal.market())
                .param("side", signal.side().name())
                .param("volume", signal.volume())
                .param("price", signal.price())
                .update();
        jdbc.sql(INTEND)
                .param("id", intentId)
                .param("signalId", signalId)
                .param("traceId", MDC.get(Message.TRACE_ID))
                .update();
    }
}
