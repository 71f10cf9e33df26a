/** Where a contestant runs: a fresh server, processes with the contestant's own class path, and what they use up. */
@NullMarked
package dev.outbox.benchmarks.arena;

import org.jspecify.annotations.NullMarked;
