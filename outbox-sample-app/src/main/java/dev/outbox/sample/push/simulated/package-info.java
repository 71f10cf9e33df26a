/** Simulates a push gateway and its faults. */
@NullMarked
package dev.outbox.sample.push.simulated;

import org.jspecify.annotations.NullMarked;
