/** Kafka brokers that tests start, kill, and cut off. */
@NullMarked
package dev.outbox.testing.kafka;

import org.jspecify.annotations.NullMarked;
