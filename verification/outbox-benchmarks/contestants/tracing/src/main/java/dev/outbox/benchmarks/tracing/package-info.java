/** This library with a tracer. */
@NullMarked
package dev.outbox.benchmarks.tracing;

import org.jspecify.annotations.NullMarked;
