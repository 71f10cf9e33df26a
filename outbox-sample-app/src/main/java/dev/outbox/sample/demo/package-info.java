/** Faults on demand. Active only with {@code demo.enabled}. */
@NullMarked
package dev.outbox.sample.demo;

import org.jspecify.annotations.NullMarked;
