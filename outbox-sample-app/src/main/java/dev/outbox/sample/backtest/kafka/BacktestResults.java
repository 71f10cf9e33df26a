package dev.outbox.sample.backtest.kafka;

import dev.outbox.OutboxHandler;
import dev.outbox.sample.backtest.Backtests;
import dev.outbox.sample.events.BacktestEvent;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Passes the results of backtests to the service that queued them. In one database, the run itself stores its result. */
@Component
@ConditionalOnProperty(name = "sample.service", havingValue = "web")
class BacktestResults {

    private final Backtests backtests;

    BacktestResults(Backtests backtests) {
        this.backtests = backtests;
    }

    @OutboxHandler(id = "backtest.results")
    void backtestEnded(BacktestEvent event) {
        backtests.store(event);
    }
}
