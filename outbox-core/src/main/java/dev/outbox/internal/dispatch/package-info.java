/**
 * Offers an event to its handlers, and turns whatever they do into an outcome.
 *
 * <p>Front doors: {@link Dispatcher}, {@link DecoratedHandlers}. Beside them: {@link DeliveryOutcome}, {@link DispatchSettings}, {@link
 * FailureLog}, {@link FailureObserver}, {@link LaterOutcomes}, {@link LogContext}, {@link RetryPolicy}, {@link RunningHandlers},
 * {@link SingleFailures}, {@link StreamDependencies}. Tables: processed_event.
 */
@NullMarked
package dev.outbox.internal.dispatch;

import org.jspecify.annotations.NullMarked;
