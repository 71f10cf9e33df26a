package dev.outbox.internal.processing;

import java.time.Duration;

/** Which deliveries are attempted, and how many at once. */
public record RetrySettings(String stream, String worker, int batchSize, Duration lease) {}
