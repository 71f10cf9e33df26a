/** Contestants that forward to Kafka: this library, and a producer that reads no database. */
@NullMarked
package dev.outbox.benchmarks.kafka;

import org.jspecify.annotations.NullMarked;
