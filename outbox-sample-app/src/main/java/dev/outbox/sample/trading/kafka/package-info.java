/** Copies of orders between the service that takes signals and the service that executes orders. */
@NullMarked
package dev.outbox.sample.trading.kafka;

import org.jspecify.annotations.NullMarked;
