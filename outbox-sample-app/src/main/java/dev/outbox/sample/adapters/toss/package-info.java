/** Charges billing keys over the API of Toss Payments. */
@NullMarked
package dev.outbox.sample.adapters.toss;

import org.jspecify.annotations.NullMarked;
