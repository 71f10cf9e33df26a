/** Runs the processes, the nemesis and the checker, and reports. */
@NullMarked
package dev.outbox.chaos.run;

import org.jspecify.annotations.NullMarked;
