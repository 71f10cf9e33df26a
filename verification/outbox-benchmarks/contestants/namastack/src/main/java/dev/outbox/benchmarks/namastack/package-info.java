/** Contestant namastack-outbox. */
@NullMarked
package dev.outbox.benchmarks.namastack;

import org.jspecify.annotations.NullMarked;
