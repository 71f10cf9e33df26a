/** What the others are compared with: the limits in plain JDBC, and the poller that is written in an afternoon. */
@NullMarked
package dev.outbox.benchmarks.baseline;

import org.jspecify.annotations.NullMarked;
