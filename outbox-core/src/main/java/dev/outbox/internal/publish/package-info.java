/**
 * Stores events in the caller's transaction, numbered per aggregate.
 *
 * <p>Front door: {@link TransactionalOutboxPublisher}. Beside it: {@link Aggregate}, {@link CommittedEvents}, {@link EventDepth}, {@link
 * PublisherSettings}, {@link TransactionPhase}. Tables: outbox, outbox_aggregate, outbox_aggregate_type; of other rooms: outbox_scheduled.
 */
@NullMarked
package dev.outbox.internal.publish;

import org.jspecify.annotations.NullMarked;
