package dev.outbox.internal.delivery;

/**
 * A claim, as its worker knows it.
 *
 * @param id the claim row
 * @param fence what allows the worker to write
 */
public record ClaimKey(long id, Fence fence) {}
