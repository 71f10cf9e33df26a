/** Harm tests of this library: backlogs, old snapshots, history, retries, a single aggregate, and a small heap. */
@NullMarked
package dev.outbox.benchmarks.harm;

import org.jspecify.annotations.NullMarked;
