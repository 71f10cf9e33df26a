package dev.outbox.internal.poll;

/** A stream as one process polls it. */
public record PolledStream(String name, String worker, PollerSettings settings) {}
