/** An exchange to play with: it keeps its orders in tables of its own, and misbehaves when told to. */
@NullMarked
package dev.outbox.sample.trading.exchange;

import org.jspecify.annotations.NullMarked;
