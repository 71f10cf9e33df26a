/** Configures the forwarding of events to Kafka and the inboxes from the properties and beans of a Spring Boot application. */
@NullMarked
package dev.outbox.kafka.autoconfigure;

import org.jspecify.annotations.NullMarked;
