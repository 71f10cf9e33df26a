/** What runs in the processes of a chaos run: publishers, workers, and the faults that only the process itself can cause. */
@NullMarked
package dev.outbox.chaos.process;

import org.jspecify.annotations.NullMarked;
