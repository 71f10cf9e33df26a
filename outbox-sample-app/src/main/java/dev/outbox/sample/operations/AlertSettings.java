package dev.outbox.sample.operations;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * From where on somebody should look at the outbox. An alert fires above its threshold.
 *
 * @param unpublished Events that are not published yet, the dead left out.
 * @param oldest Age of the oldest event that is waiting for its first attempt.
 * @param dead Events that a handler has given up on.
 * @param meanRetries Failed attempts of an event that is done, on average.
 */
@ConfigurationProperties("alerts")
record AlertSettings(long unpublished, Duration oldest, long dead, double meanRetries) {}
