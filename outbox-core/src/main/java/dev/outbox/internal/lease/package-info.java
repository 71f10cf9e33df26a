/**
 * Leases of claimed work: renewal, confirmation, fences, the end of claims that have expired, and incarnations of the database.
 *
 * <p>Front doors: {@link LeaseRenewer}, {@link LeaseStore}. Beside them: {@link ClaimKey}, {@link Lease}, {@link LeaseGuard}, {@link Moment}. Tables:
 * outbox_claim, outbox_incarnation; of other rooms: outbox, outbox_lane, outbox_delivery, outbox_stream.
 */
@NullMarked
package dev.outbox.internal.lease;

import org.jspecify.annotations.NullMarked;
