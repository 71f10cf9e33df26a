/**
 * Leases of claimed work: renewal, confirmation, fences, and incarnations of the database.
 *
 * <p>Front door: {@link LeaseRenewer}. Beside it: {@link Fence}, {@link Lease}, {@link LeaseGuard}, {@link Moment}. Tables:
 * outbox_incarnation.
 */
@NullMarked
package dev.outbox.internal.lease;

import org.jspecify.annotations.NullMarked;
