/** Tests strategies on historical prices. */
@NullMarked
package dev.outbox.sample.backtest;

import org.jspecify.annotations.NullMarked;
