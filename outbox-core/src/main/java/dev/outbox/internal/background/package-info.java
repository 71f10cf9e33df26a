/** Threads that repeat a task, and leases that outlive their requests. */
@NullMarked
package dev.outbox.internal.background;

import org.jspecify.annotations.NullMarked;
