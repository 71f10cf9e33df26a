/** Takes orders. Each change of an order gives it the next version, which is also the sequence of its event. */
@NullMarked
package dev.outbox.sample.ordering;

import org.jspecify.annotations.NullMarked;
