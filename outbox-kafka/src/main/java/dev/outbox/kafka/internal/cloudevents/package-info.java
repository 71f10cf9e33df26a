/** Kafka records in the binary mode of CloudEvents 1.0. */
@NullMarked
package dev.outbox.kafka.internal.cloudevents;

import org.jspecify.annotations.NullMarked;
