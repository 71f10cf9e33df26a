package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.TradeEvent;
import dev.outbox.sample.events.TradeEvent.OrderAccepted;
import dev.outbox.sample.events.TradeEvent.OrderAttemptsExhausted;
import dev.outbox.sample.events.TradeEvent.OrderHalted;
import dev.outbox.sample.events.TradeEvent.OrderRejected;
import dev.outbox.sample.events.TradeEvent.OrderThrottled;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Moves an attempt and its intent, each transition once, and publishes the result in the same transaction. */
@Service
class Conclusions {

    private static final Logger log = LoggerFactory.getLogger(Conclusions.class);

    private final OrderAttempts attempts;
    private final OrderIntents intents;
    private final EventBus bus;

    Conclusions(OrderAttempts attempts, OrderIntents intents, EventBus bus) {
        this.attempts = attempts;
        this.intents = intents;
        this.bus = bus;
    }

    /** Returns whether the caller may send the order. Reopens a halted intent. */
    @Transactional
    boolean requested(OrderAttempt attempt) {
        if (!attempts.move(attempt, AttemptStatus.REQUESTED, null)) {
            return false;
        }
        if (intents.lock(attempt.orderIntentId()).isPlaced()) {
            rejected(attempt, "the exchange has the order of another attempt");
            return false;
        }
        intents.move(attempt.orderIntentId(), IntentStatus.OPEN, null);
        return true;
    }

    @Transactional
    void acked(OrderAttempt attempt, String exchangeOrderId) {
        if (move(attempt, AttemptStatus.ACKED, exchangeOrderId)) {
            intents.move(attempt.orderIntentId(), IntentStatus.ACCEPTED, null);
            publish(
                    attempt,
                    new OrderAccepted(attempt.orderIntentId(), attempt.id(), attempt.attemptNo(), exchangeOrderId));
        }
    }

    /** Publishes the rejection only if it rejects the intent: the exchange may have the order of another attempt. */
    @Transactional
    void rejected(OrderAttempt attempt, String reason) {
        if (move(attempt, AttemptStatus.REJECTED, reason)) {
            rejectIntent(attempt, reason);
        }
    }

    /** Rejects an unknown attempt that the exchange does not have, unless the sender has lost an answer since it was marked. */
    @Transactional
    void neverArrived(OrderAttempt attempt, OffsetDateTime markedAt) {
        String reason = "it never reached the exchange";
        if (attempts.rejectUnknown(attempt, markedAt, reason)) {
            log.info("Order {} is {}", attempt.identifier(), AttemptStatus.REJECTED);
            rejectIntent(attempt, reason);
        }
    }

    @Transactional
    void throttled(OrderAttempt attempt, Duration retryAfter) {
        if (move(attempt, AttemptStatus.THROTTLED, null)) {
            attempts.pause(attempt, retryAfter);
            publish(attempt, new OrderThrottled(attempt.orderIntentId(), attempt.id(), attempt.attemptNo()));
        }
    }

    /** Marks an attempt for the reconciliation, which asks the exchange instead of sending the order again. */
    void unknown(OrderAttempt attempt, String reason) {
        move(attempt, AttemptStatus.UNKNOWN, reason);
    }

    /** Marks an attempt for the reconciliation after its sender lost the answer, even if the reconciliation has rejected it meanwhile. */
    void unanswered(OrderAttempt attempt, String reason) {
        if (attempts.missAnswer(attempt, reason)) {
            log.info("Order {} is {}", attempt.identifier(), AttemptStatus.UNKNOWN);
        }
    }

    /** Opens the next attempt after one that the exchange did not process. */
    @Transactional
    void followUp(OrderAttempt throttled) {
        if (attempts.endPause(throttled)) {
            attempts.open(
                    throttled.orderIntentId(), throttled.attemptNo() + 1, throttled.signalId(), throttled.signal());
        }
    }

    /** Ends the intent of the last permitted attempt. */
    @Transactional
    void exhausted(OrderAttempt throttled) {
        UUID intentId = throttled.orderIntentId();
        String reason = tooBusyFor(throttled.attemptNo());
        if (attempts.endPause(throttled) && intents.move(intentId, IntentStatus.EXHAUSTED, reason)) {
            log.warn("Intent {} is EXHAUSTED: {}", intentId, reason);
            publish(throttled, new OrderAttemptsExhausted(intentId, throttled.attemptNo()));
        }
    }

    /** Follows the end of the command's deliveries: halts the intent if nothing was sent, otherwise asks the exchange. */
    @Transactional
    void gaveUp(UUID attemptId, String reason) {
        attempts.lock(attemptId).ifPresent((attempt) -> {
            if (attempt.status() == AttemptStatus.REQUESTED) {
                unknown(attempt, reason);
            } else if (attempt.status() == AttemptStatus.CREATED
                    && intents.move(attempt.orderIntentId(), IntentStatus.HALTED, reason)) {
                publish(attempt, new OrderHalted(attempt.orderIntentId(), attemptId, reason));
            }
        });
    }

    static String tooBusyFor(int attempts) {
        return "the exchange was too busy for %d attempts".formatted(attempts);
    }

    private void rejectIntent(OrderAttempt attempt, String reason) {
        if (intents.move(attempt.orderIntentId(), IntentStatus.REJECTED, reason)) {
            publish(attempt, new OrderRejected(attempt.orderIntentId(), attempt.id(), attempt.attemptNo(), reason));
        }
    }

    private boolean move(OrderAttempt attempt, AttemptStatus status, @Nullable String detail) {
        boolean moved = attempts.move(attempt, status, detail);
        if (moved) {
            log.info("Order {} is {}", attempt.identifier(), status);
        }
        return moved;
    }

    private void publish(OrderAttempt attempt, TradeEvent event) {
        String intentId = attempt.orderIntentId().toString();
        bus.publish(new Message(Streams.TRADE_EVENT, "order_intent", intentId, event, attempt.origin()));
    }
}
