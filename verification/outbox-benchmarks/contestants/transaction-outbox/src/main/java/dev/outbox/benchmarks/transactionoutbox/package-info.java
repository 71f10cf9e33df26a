/** Contestant transaction-outbox. */
@NullMarked
package dev.outbox.benchmarks.transactionoutbox;

import org.jspecify.annotations.NullMarked;
