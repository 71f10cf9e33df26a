/** Fails a process at every fault point in every way, and checks that nothing is lost. */
@NullMarked
package dev.outbox.chaos.matrix;

import org.jspecify.annotations.NullMarked;
