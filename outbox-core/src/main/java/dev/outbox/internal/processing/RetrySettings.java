package dev.outbox.internal.processing;

import java.time.Duration;

/**
 * Which deliveries are attempted, and how many at once.
 *
 * @param stream the stream
 * @param worker who claims; part of the fence
 * @param batchSize at most how many deliveries are claimed at once
 * @param lease how long a claim outlives its process
 */
public record RetrySettings(String stream, String worker, int batchSize, Duration lease) {}
