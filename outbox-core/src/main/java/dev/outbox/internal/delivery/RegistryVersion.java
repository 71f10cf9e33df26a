package dev.outbox.internal.delivery;

/**
 * Version of the handler registry that a claim is valid for.
 *
 * @param server the incarnation of the database and the start of its server; the numbers of two servers tell nothing of each other
 * @param number grows with every change of the registry
 */
public record RegistryVersion(String server, long number) {}
