/** Options of a benchmark. */
@NullMarked
package dev.outbox.benchmarks.options;

import org.jspecify.annotations.NullMarked;
