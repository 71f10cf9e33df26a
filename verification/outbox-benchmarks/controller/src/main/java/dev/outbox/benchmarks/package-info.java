/** Controller: plans the runs of a benchmark and runs them in turns. */
@NullMarked
package dev.outbox.benchmarks;

import org.jspecify.annotations.NullMarked;
