/** Stores the events of other services, which arrive as Kafka records, in the outbox: once, and in order for each aggregate. */
@NullMarked
package dev.outbox.kafka.internal.inbox;

import org.jspecify.annotations.NullMarked;
