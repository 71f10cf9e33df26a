/** References for the comparison: floors in plain JDBC, and a naive poller. */
@NullMarked
package dev.outbox.benchmarks.baseline;

import org.jspecify.annotations.NullMarked;
