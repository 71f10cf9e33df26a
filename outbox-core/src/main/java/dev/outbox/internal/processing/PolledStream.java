package dev.outbox.internal.processing;

/**
 * A stream as one process polls it.
 *
 * @param name the stream
 * @param worker the process's name for itself, for people to read
 * @param settings how it is polled
 */
public record PolledStream(String name, String worker, PollerSettings settings) {}
