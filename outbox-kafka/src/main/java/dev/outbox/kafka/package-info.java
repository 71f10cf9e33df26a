/** Extension points of the Kafka module. */
@NullMarked
package dev.outbox.kafka;

import org.jspecify.annotations.NullMarked;
