/** Spring Modulith's event publication registry as a contestant. */
@NullMarked
package dev.outbox.benchmarks.modulith;

import org.jspecify.annotations.NullMarked;
