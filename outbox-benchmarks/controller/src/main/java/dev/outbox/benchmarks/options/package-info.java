/** What was asked for. */
@NullMarked
package dev.outbox.benchmarks.options;

import org.jspecify.annotations.NullMarked;
