package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.events.TradeCommand.CreateOrderAttempt;
import dev.outbox.sample.trading.Exchange.Answer;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/**
 * Executes an attempt at most once, however often the command is delivered. It calls the exchange outside any transaction. The status that
 * is stored before and after the call prevents a second order.
 */
@InWorker
@Service
public class OrderExecutor {

    private static final Logger log = LoggerFactory.getLogger(OrderExecutor.class);

    private final Signals signals;
    private final OrderAttempts attempts;
    private final TradingPolicy policy;
    private final Exchange exchange;
    private final Conclusions conclusions;

    OrderExecutor(
            Signals signals, OrderAttempts attempts, TradingPolicy policy, Exchange exchange, Conclusions conclusions) {
        this.signals = signals;
        this.attempts = attempts;
        this.policy = policy;
        this.exchange = exchange;
        this.conclusions = conclusions;
    }

    /**
     * Executes an attempt that has not been executed yet. Stores the order of a signal that another service has taken.
     *
     * @throws ExchangeUnreachableException if nothing was sent, so that a retry is safe
     * @throws TradingHaltedException if a rule forbids it
     * @throws UnknownAttemptException if the intent has another attempt with this number
     */
    public void execute(CreateOrderAttempt command) {
        execute(attempts.find(command.attemptId()).orElseGet(() -> signals.add(command)));
    }

    void execute(OrderAttempt attempt) {
        if (attempt.status().isConcluded()) {
            log.info("Order {} is {} already", attempt.identifier(), attempt.status());
        } else if (attempt.status() == AttemptStatus.REQUESTED) {
            conclusions.unknown(attempt, "no answer was stored");
        } else {
            policy.check(attempt);
            if (conclusions.requested(attempt)) {
                place(attempt);
            }
        }
    }

    /** Halts the intent of an attempt whose command is dead, unless the order was sent. An operator's retry of the command reopens it. */
    public void gaveUp(UUID attemptId, String reason) {
        conclusions.gaveUp(attemptId, reason);
    }

    private void place(OrderAttempt attempt) {
        try {
            conclude(attempt, exchange.place(attempt.order()));
        } catch (ExchangeUnreachableException ex) {
            attempts.move(attempt, AttemptStatus.CREATED, ex.getMessage());
            throw ex;
        } catch (NoAnswerException ex) {
            conclusions.unanswered(attempt, String.valueOf(ex.getMessage()));
        }
    }

    private void conclude(OrderAttempt attempt, Answer answer) {
        if (answer instanceof Answer.Accepted accepted) {
            conclusions.acked(attempt, accepted.exchangeOrderId());
        } else if (answer instanceof Answer.Rejected rejected) {
            conclusions.rejected(attempt, rejected.reason());
        } else if (answer instanceof Answer.Throttled throttled) {
            conclusions.throttled(attempt, throttled.retryAfter());
        }
    }
}
