/**
 * Stores events in the caller's transaction, numbered per aggregate.
 *
 * <p>Front door: {@link TransactionalOutboxPublisher}. Tables: outbox, outbox_aggregate, outbox_aggregate_type.
 */
@NullMarked
package dev.outbox.internal.publish;

import org.jspecify.annotations.NullMarked;
