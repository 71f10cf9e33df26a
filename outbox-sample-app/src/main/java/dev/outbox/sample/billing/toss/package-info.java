/** Charges billing keys over the API of Toss Payments. */
@NullMarked
package dev.outbox.sample.billing.toss;

import org.jspecify.annotations.NullMarked;
