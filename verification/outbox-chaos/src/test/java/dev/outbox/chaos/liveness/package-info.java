/** Scenarios in which nothing may wait for ever: each has a bound of time, with the settings that users have. */
@NullMarked
package dev.outbox.chaos.liveness;

import org.jspecify.annotations.NullMarked;
