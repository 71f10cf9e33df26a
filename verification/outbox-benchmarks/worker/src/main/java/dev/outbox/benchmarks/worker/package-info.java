/** Process of a contestant: publishes and handles on the controller's command, and records each step. */
@NullMarked
package dev.outbox.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
