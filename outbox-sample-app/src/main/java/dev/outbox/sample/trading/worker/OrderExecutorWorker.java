package dev.outbox.sample.trading.worker;

import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.TradeCommand.CreateOrderAttempt;
import dev.outbox.sample.trading.OrderExecutor;
import dev.outbox.sample.trading.TradingHaltedException;
import dev.outbox.sample.trading.UnknownAttemptException;
import org.springframework.stereotype.Component;

/** Brings the commands of {@code everbit.trade.command} to the executor, and says which failures no retry can mend. */
@Component
final class OrderExecutorWorker {

    private final OrderExecutor executor;

    OrderExecutorWorker(OrderExecutor executor) {
        this.executor = executor;
    }

    @OutboxHandler(id = "order-executor-worker")
    void createOrderAttempt(CreateOrderAttempt command) {
        try {
            executor.execute(command.attemptId());
        } catch (UnknownAttemptException | TradingHaltedException ex) {
            throw new NonRetryableException(String.valueOf(ex.getMessage()), ex);
        }
    }
}
