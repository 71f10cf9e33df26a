package dev.outbox.sample.push;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of the push retries.
 *
 * @param maxAttempts Number of attempts, including the first, after which a push fails for good.
 */
@ConfigurationProperties("push")
record PushSettings(int maxAttempts) {}
