/** Contestant Spring Modulith with Kafka, with its event publication registry. */
@NullMarked
package dev.outbox.benchmarks.modulithkafka;

import org.jspecify.annotations.NullMarked;
