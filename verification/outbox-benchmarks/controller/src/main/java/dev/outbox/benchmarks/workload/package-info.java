/** Workloads for contestants, and the comparison of deliveries with commits. */
@NullMarked
package dev.outbox.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
