/**
 * The loop that claims batches, dispatches them and settles them. It knows neither tables nor events.
 *
 * <p>Front doors: {@link BatchLoop}, {@link BatchSource}. Beside them: {@link Batch}, {@link PollerSettings}, {@link ReadableClaims}, {@link
 * SerialQueue}, {@link WorkerPool}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.poll;

import org.jspecify.annotations.NullMarked;
