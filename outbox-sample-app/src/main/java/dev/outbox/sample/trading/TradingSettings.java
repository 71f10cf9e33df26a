package dev.outbox.sample.trading;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of the reconciliation.
 *
 * @param settleTime Time after which an order that the exchange does not know will no longer appear.
 * @param maxAttempts Largest number of attempts for an intent.
 */
@ConfigurationProperties("trading")
record TradingSettings(Duration settleTime, int maxAttempts) {}
