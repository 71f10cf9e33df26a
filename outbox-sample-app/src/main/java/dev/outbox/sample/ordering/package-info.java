/** Takes orders. Each change increments the version of the order, which is also the sequence of its event. */
@NullMarked
package dev.outbox.sample.ordering;

import org.jspecify.annotations.NullMarked;
