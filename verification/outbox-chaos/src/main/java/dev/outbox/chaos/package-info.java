/** Kills, suspends and cuts off every part of a running outbox, and checks the history of what happened. */
@NullMarked
package dev.outbox.chaos;

import org.jspecify.annotations.NullMarked;
