/**
 * First deliveries: claims events, and settles them under the fence of their claim.
 *
 * <p>Front door: {@link FirstDeliveries}. Tables: outbox_stream; of other rooms: outbox, outbox_claim, outbox_handler, outbox_incarnation,
 * outbox_lane, outbox_operation.
 */
@NullMarked
package dev.outbox.internal.claim;

import org.jspecify.annotations.NullMarked;
