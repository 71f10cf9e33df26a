/** namastack-outbox as a contestant. */
@NullMarked
package dev.outbox.benchmarks.namastack;

import org.jspecify.annotations.NullMarked;
