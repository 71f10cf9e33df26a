/** Sells subscriptions, and publishes what becomes of them. */
@NullMarked
package dev.outbox.sample.billing;

import org.jspecify.annotations.NullMarked;
