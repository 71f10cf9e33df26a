/**
 * Offers an event to its handlers, and turns whatever they do into an outcome.
 *
 * <p>Front doors: {@link Dispatcher}, {@link DecoratedHandlers}; {@link StreamDependencies} is what all deliveries share. Table: processed_event.
 */
@NullMarked
package dev.outbox.internal.dispatch;

import org.jspecify.annotations.NullMarked;
