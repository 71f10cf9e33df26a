/** Turns signals into orders at an exchange. The domain knows the event bus and the exchange as ports only. */
@NullMarked
package dev.outbox.sample.trading;

import org.jspecify.annotations.NullMarked;
