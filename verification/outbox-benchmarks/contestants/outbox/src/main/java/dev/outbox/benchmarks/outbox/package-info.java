/** Contestant Outbox: this library. */
@NullMarked
package dev.outbox.benchmarks.outbox;

import org.jspecify.annotations.NullMarked;
