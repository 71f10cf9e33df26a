package dev.outbox.internal.delivery;

import java.util.UUID;

/** What allows a worker to write about its claim. */
public record Fence(UUID token, UUID incarnation) {}
