/**
 * Threads that repeat a task and survive its failures, and threads for queries that no caller waits long for.
 *
 * <p>Front doors: {@link BackgroundLoop}, {@link BackgroundQueries}, {@link RequestDeadline}. Tables: none.
 */
@NullMarked
package dev.outbox.internal.background;

import org.jspecify.annotations.NullMarked;
