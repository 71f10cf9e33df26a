/** Contestant Spring Modulith, with its event publication registry. */
@NullMarked
package dev.outbox.benchmarks.modulith;

import org.jspecify.annotations.NullMarked;
