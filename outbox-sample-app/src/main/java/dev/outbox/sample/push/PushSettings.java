package dev.outbox.sample.push;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * How long to try.
 *
 * @param maxAttempts Number of attempts after which a message is given up on, the first one included.
 */
@ConfigurationProperties("push")
record PushSettings(int maxAttempts) {}
