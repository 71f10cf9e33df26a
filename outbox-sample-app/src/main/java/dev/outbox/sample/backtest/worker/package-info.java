/** Worker that passes backtest commands from the outbox to the domain. */
@NullMarked
package dev.outbox.sample.backtest.worker;

import org.jspecify.annotations.NullMarked;
