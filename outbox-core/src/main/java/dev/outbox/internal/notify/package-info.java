/**
 * Wakes pollers of other instances with LISTEN and NOTIFY. Nothing depends on it but latency.
 *
 * <p>Front door: {@link Notifications}. Beside it: {@link Announcements}, {@link WakeUp}. Tables: none; of other rooms: outbox.
 */
@NullMarked
package dev.outbox.internal.notify;

import org.jspecify.annotations.NullMarked;
