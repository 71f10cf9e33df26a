package dev.outbox.internal.lease;

import java.util.UUID;

/** Fencing token of a claim. */
public record Fence(UUID token, UUID incarnation) {}
