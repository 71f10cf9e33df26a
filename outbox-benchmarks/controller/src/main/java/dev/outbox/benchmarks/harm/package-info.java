/** What could harm this library: backlogs, old snapshots, history, retries, a single aggregate, and little memory. */
@NullMarked
package dev.outbox.benchmarks.harm;

import org.jspecify.annotations.NullMarked;
