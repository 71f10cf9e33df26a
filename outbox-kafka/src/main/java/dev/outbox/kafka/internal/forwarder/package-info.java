/** Forwards events of the outbox to Kafka, in order per aggregate. */
@NullMarked
package dev.outbox.kafka.internal.forwarder;

import org.jspecify.annotations.NullMarked;
