/** This library with its console. */
@NullMarked
package dev.outbox.benchmarks.console;

import org.jspecify.annotations.NullMarked;
