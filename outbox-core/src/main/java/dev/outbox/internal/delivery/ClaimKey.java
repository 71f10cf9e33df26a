package dev.outbox.internal.delivery;

/** A claim, as its worker knows it. */
public record ClaimKey(long id, Fence fence) {}
