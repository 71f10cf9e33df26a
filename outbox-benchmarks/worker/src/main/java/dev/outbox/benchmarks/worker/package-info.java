/** The process in which a contestant runs: publishes and handles as the controller tells it, and writes down what happened. */
@NullMarked
package dev.outbox.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
