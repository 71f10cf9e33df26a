/** Copies of backtests between the service that queues them and the service that runs them. */
@NullMarked
package dev.outbox.sample.backtest.kafka;

import org.jspecify.annotations.NullMarked;
