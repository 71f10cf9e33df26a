/** Tries strategies on prices of the past. */
@NullMarked
package dev.outbox.sample.backtest;

import org.jspecify.annotations.NullMarked;
