/** What the service that takes signals needs if Kafka carries the events of the service that executes orders. */
@NullMarked
package dev.outbox.sample.trading.kafka;

import org.jspecify.annotations.NullMarked;
