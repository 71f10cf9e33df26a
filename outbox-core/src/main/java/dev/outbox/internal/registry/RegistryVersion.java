package dev.outbox.internal.registry;

/** Version of the handler registry that a claim is valid for. The server is an incarnation of the database, and its start. */
public record RegistryVersion(String server, long number) {}
