package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.TradeEvent.OrderFilled;
import dev.outbox.sample.events.TradeEvent.PositionChanged;
import java.math.BigDecimal;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Books each executed order once, and updates the owner's position. */
@Service
public class Fills {

    private static final String RECORD = """
            INSERT INTO trading.fills (attempt_id, volume)
            VALUES (:attemptId, :volume)
            ON CONFLICT (attempt_id) DO NOTHING
            """;

    private static final String MOVE = """
            INSERT INTO trading.positions (owner_id, market, volume)
            VALUES (:ownerId, :market, :volume)
            ON CONFLICT (owner_id, market) DO UPDATE
               SET volume = positions.volume + excluded.volume
            RETURNING volume
            """;

    private final JdbcClient jdbc;
    private final OrderAttempts attempts;
    private final EventBus bus;

    Fills(JdbcClient jdbc, OrderAttempts attempts, EventBus bus) {
        this.jdbc = jdbc;
        this.attempts = attempts;
        this.bus = bus;
    }

    /** Books the execution of a whole order. */
    @Transactional
    public void record(String identifier) {
        OrderAttempt attempt = attempts.findByIdentifier(identifier)
                .orElseThrow(() -> new UnknownAttemptException("there is no order attempt " + identifier));
        int recorded = jdbc.sql(RECORD)
                .param("attemptId", attempt.id())
                .param("volume", attempt.volume())
                .update();
        if (recorded == 1) {
            publish(
                    attempt,
                    "order_intent",
                    attempt.orderIntentId().toString(),
                    new OrderFilled(attempt.orderIntentId(), attempt.id(), attempt.volume()));
            publish(
                    attempt,
                    "position",
                    attempt.ownerId() + "/" + attempt.market(),
                    new PositionChanged(attempt.market(), move(attempt)));
        }
    }

    private BigDecimal move(OrderAttempt attempt) {
        return jdbc.sql(MOVE)
                .param("ownerId", attempt.ownerId())
                .param("market", attempt.market())
                .param("volume", attempt.side().change(attempt.volume()))
                .query(BigDecimal.class)
                .single();
    }

    private void publish(OrderAttempt attempt, String aggregateType, String aggregateId, Object event) {
        bus.publish(new Message(Streams.TRADE_EVENT, aggregateType, aggregateId, event, attempt.origin()));
    }
}
