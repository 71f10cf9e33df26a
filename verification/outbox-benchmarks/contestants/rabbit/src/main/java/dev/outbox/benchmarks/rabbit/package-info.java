/** Contestants that forward to RabbitMQ: this library, and a loop that reads no database. */
@NullMarked
package dev.outbox.benchmarks.rabbit;

import org.jspecify.annotations.NullMarked;
