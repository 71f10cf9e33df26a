/**
 * Threads: a task that repeats and survives its failures, and a pool that works in order per queue.
 *
 * <p>Front doors: {@link BackgroundLoop}, {@link WorkerPool}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.background;

import org.jspecify.annotations.NullMarked;
