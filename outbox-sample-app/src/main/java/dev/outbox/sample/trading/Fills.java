package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.TradeEvent.FillRefused;
import dev.outbox.sample.events.TradeEvent.OrderFilled;
import dev.outbox.sample.events.TradeEvent.OrderPartiallyFilled;
import dev.outbox.sample.events.TradeEvent.PositionChanged;
import java.math.BigDecimal;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Books each fill once, by its id, and updates the attempt, the intent and the owner's position. */
@Service
public class Fills {

    private static final Logger log = LoggerFactory.getLogger(Fills.class);

    private static final String FIND = """
            SELECT volume, booked
              FROM trading.fills
             WHERE attempt_id = :attemptId
               AND fill_id = :fillId
            """;

    private static final String BOOKED_VOLUME = """
            SELECT coalesce(sum(volume), 0)
              FROM trading.fills
             WHERE attempt_id = :attemptId
               AND booked
            """;

    private static final String STORE = """
            INSERT INTO trading.fills (attempt_id, fill_id, volume, booked)
            VALUES (:attemptId, :fillId, :volume, :booked)
            """;

    private static final String CHANGE_POSITION = """
            INSERT INTO trading.positions (owner_id, market, volume)
            VALUES (:ownerId, :market, :volume)
            ON CONFLICT (owner_id, market) DO UPDATE
               SET volume = positions.volume + excluded.volume
            RETURNING volume
            """;

    private final JdbcClient jdbc;
    private final OrderAttempts attempts;
    private final OrderIntents intents;
    private final Conclusions conclusions;
    private final EventBus bus;

    Fills(JdbcClient jdbc, OrderAttempts attempts, OrderIntents intents, Conclusions conclusions, EventBus bus) {
        this.jdbc = jdbc;
        this.attempts = attempts;
        this.intents = intents;
        this.conclusions = conclusions;
        this.bus = bus;
    }

    /**
     * Books a fill, whatever the status of its attempt: a fill proves that the exchange has the order. Records and publishes a fill that
     * exceeds the volume of the order, but does not book it.
     *
     * @return whether the fill is booked, now or by an earlier report
     * @throws UnknownAttemptException if there is no attempt with this identifier
     */
    @Transactional
    public boolean record(Fill fill) {
        OrderAttempt attempt = attempts.lockByIdentifier(fill.identifier())
                .orElseThrow(() -> new UnknownAttemptException("there is no order attempt " + fill.identifier()));
        Optional<Stored> stored = find(attempt, fill);
        if (stored.isPresent()) {
            return isRepeated(fill, stored.get());
        }
        BigDecimal filled = bookedVolume(attempt).add(fill.volume());
        boolean fits = filled.compareTo(attempt.volume()) <= 0;
        store(attempt, fill, fits);
        if (fits) {
            book(attempt, fill, filled);
        } else {
            refuse(attempt, fill, filled);
        }
        return fits;
    }

    private static boolean isRepeated(Fill fill, Stored stored) {
        if (stored.volume().compareTo(fill.volume()) != 0) {
            log.error(
                    "Fill {} of order {} was reported with the volumes {} and {}; an operator must check the exchange",
                    fill.fillId(),
                    fill.identifier(),
                    stored.volume(),
                    fill.volume());
            return false;
        }
        return stored.booked();
    }

    private void book(OrderAttempt attempt, Fill fill, BigDecimal filled) {
        conclusions.acked(attempt, fill.exchangeOrderId());
        intents.fill(attempt.orderIntentId(), fill.volume());
        Object event = filled.compareTo(attempt.volume()) == 0
                ? new OrderFilled(attempt.orderIntentId(), attempt.id(), fill.fillId(), fill.volume(), filled)
                : new OrderPartiallyFilled(attempt.orderIntentId(), attempt.id(), fill.fillId(), fill.volume(), filled);
        publishOfIntent(attempt, event);
        String positionId = attempt.ownerId() + "/" + attempt.market();
        PositionChanged changed = new PositionChanged(
                attempt.market(), changePosition(attempt, attempt.side().change(fill.volume())));
        publish(attempt, "position", positionId, changed);
    }

    private void refuse(OrderAttempt attempt, Fill fill, BigDecimal filled) {
        String reason = "%s executed of an order of %s"
                .formatted(filled.toPlainString(), attempt.volume().toPlainString());
        log.error(
                "Fill {} of order {} is not booked: {}; an operator must check the exchange",
                fill.fillId(),
                fill.identifier(),
                reason);
        publishOfIntent(
                attempt, new FillRefused(attempt.orderIntentId(), attempt.id(), fill.fillId(), fill.volume(), reason));
    }

    private Optional<Stored> find(OrderAttempt attempt, Fill fill) {
        return jdbc.sql(FIND)
                .param("attemptId", attempt.id())
                .param("fillId", fill.fillId())
                .query(Stored.class)
                .optional();
    }

    private BigDecimal bookedVolume(OrderAttempt attempt) {
        return jdbc.sql(BOOKED_VOLUME)
                .param("attemptId", attempt.id())
                .query(BigDecimal.class)
                .single();
    }

    private void store(OrderAttempt attempt, Fill fill, boolean booked) {
        jdbc.sql(STORE)
                .param("attemptId", attempt.id())
                .param("fillId", fill.fillId())
                .param("volume", fill.volume())
                .param("booked", booked)
                .update();
    }

    private BigDecimal changePosition(OrderAttempt attempt, BigDecimal change) {
        return jdbc.sql(CHANGE_POSITION)
                .param("ownerId", attempt.ownerId())
                .param("market", attempt.market())
                .param("volume", change)
                .query(BigDecimal.class)
                .single();
    }

    private void publishOfIntent(OrderAttempt attempt, Object event) {
        publish(attempt, "order_intent", attempt.orderIntentId().toString(), event);
    }

    private void publish(OrderAttempt attempt, String aggregateType, String aggregateId, Object event) {
        bus.publish(new Message(Streams.TRADE_EVENT, aggregateType, aggregateId, event, attempt.origin()));
    }

    private record Stored(BigDecimal volume, boolean booked) {}
}
