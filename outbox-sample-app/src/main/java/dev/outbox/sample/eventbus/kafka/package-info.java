/** What the event bus needs besides configuration if Kafka carries its messages between services. */
@NullMarked
package dev.outbox.sample.eventbus.kafka;

import org.jspecify.annotations.NullMarked;
