package dev.outbox.internal.processing;

/** A stream as one process polls it. */
public record PolledStream(String name, String worker, PollerSettings settings) {}
