/** Configures the forwarding of events to RabbitMQ and to message channels from the properties and beans of a Spring Boot application. */
@NullMarked
package dev.outbox.messaging.autoconfigure;

import org.jspecify.annotations.NullMarked;
