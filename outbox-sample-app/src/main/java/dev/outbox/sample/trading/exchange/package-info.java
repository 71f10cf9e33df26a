/** Simulated exchange with its own tables, which misbehaves on request. */
@NullMarked
package dev.outbox.sample.trading.exchange;

import org.jspecify.annotations.NullMarked;
