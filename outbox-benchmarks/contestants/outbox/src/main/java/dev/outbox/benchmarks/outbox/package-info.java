/** This library as a contestant. */
@NullMarked
package dev.outbox.benchmarks.outbox;

import org.jspecify.annotations.NullMarked;
