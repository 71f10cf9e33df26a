package dev.outbox.internal.delivery;

import java.util.UUID;

/**
 * What allows a worker to write about its claim.
 *
 * @param token random: PostgreSQL may lose a claim in a crash and give its id again
 * @param incarnation the incarnation of the database in which the claim was made; the claim is void in every other one
 */
public record Fence(UUID token, UUID incarnation) {}
