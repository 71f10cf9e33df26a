/** The faults of a chaos run, and the schedule that a seed decides. */
@NullMarked
package dev.outbox.chaos.nemesis;

import org.jspecify.annotations.NullMarked;
