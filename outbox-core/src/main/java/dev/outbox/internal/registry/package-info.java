/**
 * Handlers of all instances, and what each of them takes.
 *
 * <p>Front door: {@link HandlerRegistry}. Tables: outbox_handler, outbox_subscription, outbox_instance.
 */
@NullMarked
package dev.outbox.internal.registry;

import org.jspecify.annotations.NullMarked;
