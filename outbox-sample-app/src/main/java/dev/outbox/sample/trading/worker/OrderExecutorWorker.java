package dev.outbox.sample.trading.worker;

import dev.outbox.DeadLetter;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.events.TradeCommand.CreateOrderAttempt;
import dev.outbox.sample.trading.OrderExecutor;
import java.util.Objects;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Passes the commands of {@code everbit.trade.command} to the executor. The configuration lists the failures that are not retried. */
@InWorker
@Component
class OrderExecutorWorker {

    private final OrderExecutor executor;

    OrderExecutorWorker(OrderExecutor executor) {
        this.executor = executor;
    }

    @OutboxHandler(id = "order-executor-worker")
    void createOrderAttempt(CreateOrderAttempt command) {
        executor.execute(command);
    }

    @OutboxDeadLetter("order-executor-worker")
    void gaveUp(DeadLetter letter) {
        String reason = Objects.requireNonNullElse(letter.errorMessage(), letter.errorCode());
        executor.gaveUp(UUID.fromString(letter.event().aggregateId()), reason);
    }
}
