/** Sells subscriptions, collects the money, and publishes what becomes of them. */
@NullMarked
package dev.outbox.sample.billing;

import org.jspecify.annotations.NullMarked;
