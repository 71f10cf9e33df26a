package dev.outbox.internal.lease;

/** Id and fencing token of a claim. */
public record ClaimKey(long id, Fence fence) {}
