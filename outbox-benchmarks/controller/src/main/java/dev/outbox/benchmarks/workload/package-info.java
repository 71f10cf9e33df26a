/** What contestants are measured at, and how what they delivered is checked. */
@NullMarked
package dev.outbox.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
