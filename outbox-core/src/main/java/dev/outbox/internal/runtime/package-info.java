/**
 * Builds the parts of an application's outbox, and starts and stops their threads.
 *
 * <p>Front door: {@link OutboxRuntime}. Beside it: {@link Feeder}, {@link OnDemandDelivery}, {@link OutboxDependencies}, {@link
 * RuntimeSettings}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.runtime;

import org.jspecify.annotations.NullMarked;
