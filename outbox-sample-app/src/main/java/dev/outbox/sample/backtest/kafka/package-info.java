/** What the service that queues backtests needs if Kafka carries the events of the service that runs them. */
@NullMarked
package dev.outbox.sample.backtest.kafka;

import org.jspecify.annotations.NullMarked;
