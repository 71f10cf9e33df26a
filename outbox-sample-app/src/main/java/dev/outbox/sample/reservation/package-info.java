/** Takes reservations, and confirms them. */
@NullMarked
package dev.outbox.sample.reservation;

import org.jspecify.annotations.NullMarked;
