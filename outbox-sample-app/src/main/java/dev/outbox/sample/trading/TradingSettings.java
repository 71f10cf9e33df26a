package dev.outbox.sample.trading;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * How attempts are followed up.
 *
 * @param settleTime Time after which an order that the exchange does not know will not turn up any more.
 * @param maxAttempts Largest number of attempts for an intent.
 */
@ConfigurationProperties("trading")
record TradingSettings(Duration settleTime, int maxAttempts) {}
