/**
 * Handlers of all instances, and what each of them takes.
 *
 * <p>Front door: {@link HandlerRegistry}. Beside it: {@link ActiveHandlers}, {@link Activity}, {@link HandlerRoutes}, {@link
 * HandlerStore}, {@link InstanceStore}, {@link KnownHandlers}, {@link LocalHandlers}, {@link Pause}, {@link RegisteredHandler}, {@link Subscription},
 * {@link Subscriptions}. Tables: outbox_handler, outbox_subscription, outbox_instance; of other rooms: outbox, outbox_claim,
 * outbox_delivery, outbox_operation, outbox_replay, outbox_scheduled, outbox_stream.
 */
@NullMarked
package dev.outbox.internal.registry;

import org.jspecify.annotations.NullMarked;
