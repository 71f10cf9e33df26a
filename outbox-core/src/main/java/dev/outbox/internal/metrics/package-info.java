/**
 * Meters of what happens and of what waits. The only room that needs Micrometer.
 *
 * <p>Front door: {@link OutboxMeters}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.metrics;

import org.jspecify.annotations.NullMarked;
