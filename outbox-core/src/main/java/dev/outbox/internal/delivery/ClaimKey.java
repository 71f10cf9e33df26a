package dev.outbox.internal.delivery;

/** Id and fencing token of a claim. */
public record ClaimKey(long id, Fence fence) {}
