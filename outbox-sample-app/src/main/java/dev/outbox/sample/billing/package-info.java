/** Sells subscriptions, charges them, and publishes their changes. */
@NullMarked
package dev.outbox.sample.billing;

import org.jspecify.annotations.NullMarked;
