package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.TradeEvent;
import dev.outbox.sample.events.TradeEvent.OrderAccepted;
import dev.outbox.sample.events.TradeEvent.OrderRejected;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Concludes each attempt once, and publishes the result in the same transaction. */
@Service
class Conclusions {

    private static final Logger log = LoggerFactory.getLogger(Conclusions.class);

    private static final String PAUSE = """
            UPDATE trading.order_attempts
               SET retry_at = now() + make_interval(secs => :seconds)
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final OrderAttempts attempts;
    private final EventBus bus;

    Conclusions(JdbcClient jdbc, OrderAttempts attempts, EventBus bus) {
        this.jdbc = jdbc;
        this.attempts = attempts;
        this.bus = bus;
    }

    @Transactional
    void acked(OrderAttempt attempt, String exchangeOrderId) {
        if (move(attempt, AttemptStatus.ACKED, exchangeOrderId)) {
            publish(attempt, new OrderAccepted(attempt.orderIntentId(), attempt.id(), exchangeOrderId));
        }
    }

    @Transactional
    void rejected(OrderAttempt attempt, String reason) {
        if (move(attempt, AttemptStatus.REJECTED, reason)) {
            publish(attempt, new OrderRejected(attempt.orderIntentId(), attempt.id(), reason));
        }
    }

    @Transactional
    void throttled(OrderAttempt attempt, Duration retryAfter) {
        if (move(attempt, AttemptStatus.THROTTLED, null)) {
            jdbc.sql(PAUSE)
                    .param("id", attempt.id())
                    .param("seconds", retryAfter.toMillis() / 1000.0)
                    .update();
        }
    }

    /** Marks an attempt for the reconciliation, which asks the exchange instead of sending the order again. */
    void unknown(OrderAttempt attempt, String reason) {
        move(attempt, AttemptStatus.UNKNOWN, reason);
    }

    /** Opens the next attempt after one that the exchange did not process. */
    @Transactional
    void followUp(OrderAttempt throttled) {
        attempts.open(throttled.orderIntentId(), throttled.attemptNo() + 1, throttled.origin());
    }

    private boolean move(OrderAttempt attempt, AttemptStatus status, @Nullable String detail) {
        boolean moved = attempts.move(attempt, status, detail);
        if (moved) {
            log.info("order {} is {}", attempt.identifier(), status);
        }
        return moved;
    }

    private void publish(OrderAttempt attempt, TradeEvent event) {
        String intentId = attempt.orderIntentId().toString();
        bus.publish(new Message(Streams.TRADE_EVENT, "order_intent", intentId, event, attempt.origin()));
    }
}
