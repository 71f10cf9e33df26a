package dev.outbox.sample.operations;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Thresholds of the alerts. An alert fires above its threshold.
 *
 * @param unpublished Number of events that are neither published nor dead.
 * @param oldest Age of the oldest event that waits for its first attempt or for a retry.
 * @param dead Number of dead deliveries.
 * @param meanRetries Average number of failed attempts of a stream's events that finished within the window or are retried.
 * @param window Time over which the retries are averaged.
 */
@ConfigurationProperties("alerts")
record AlertSettings(long unpublished, Duration oldest, long dead, double meanRetries, Duration window) {}
