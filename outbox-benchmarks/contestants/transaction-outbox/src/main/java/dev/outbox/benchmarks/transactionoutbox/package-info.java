/** transaction-outbox as a contestant. */
@NullMarked
package dev.outbox.benchmarks.transactionoutbox;

import org.jspecify.annotations.NullMarked;
