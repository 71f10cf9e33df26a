/**
 * Sends messages to RabbitMQ with a template of the application, and tells how each ended: confirmed, returned, refused or lost. Its front door
 * is {@link dev.outbox.messaging.internal.rabbit.RabbitTarget}.
 */
@NullMarked
package dev.outbox.messaging.internal.rabbit;

import org.jspecify.annotations.NullMarked;
