/**
 * Environment of a contestant: a fresh server, processes with the contestant's own class path, and the resources they
 * use.
 */
@NullMarked
package dev.outbox.benchmarks.arena;

import org.jspecify.annotations.NullMarked;
