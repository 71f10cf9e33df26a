/** The controller: what is to be measured, and in which turns. */
@NullMarked
package dev.outbox.benchmarks;

import org.jspecify.annotations.NullMarked;
