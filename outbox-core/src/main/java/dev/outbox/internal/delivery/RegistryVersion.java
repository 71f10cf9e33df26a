package dev.outbox.internal.delivery;

/** Version of the handler registry that a claim is valid for. */
public record RegistryVersion(String server, long number) {}
