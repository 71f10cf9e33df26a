/**
 * Threads that repeat a task and survive its failures.
 *
 * <p>Front door: {@link BackgroundLoop}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.background;

import org.jspecify.annotations.NullMarked;
