package dev.outbox.sample.backtest.kafka;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Keeps the copies of backtests in the service that queued them up to date. */
@Component
@ConditionalOnProperty(name = "sample.service", havingValue = "web")
class BacktestResults {

    private final BacktestCopies copies;

    BacktestResults(BacktestCopies copies) {
        this.copies = copies;
    }

    @OutboxHandler(
            id = "backtest.results",
            eventTypes = {"BacktestCompleted", "BacktestFailed"},
            deduplicate = true)
    void backtestEnded(EventEnvelope event) {
        copies.replace(event.headers());
    }
}
