/**
 * The loop that claims batches, dispatches them and settles them. It knows neither tables nor events.
 *
 * <p>Front doors: {@link BatchLoop}, with {@link BatchSource} for what it works through and {@link WorkerPool} for its threads. Tables:
 * none.
 */
@NullMarked
package dev.outbox.internal.poll;

import org.jspecify.annotations.NullMarked;
