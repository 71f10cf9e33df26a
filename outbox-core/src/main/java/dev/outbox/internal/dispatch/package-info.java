/** Routing of events to handlers, and the invocation of handlers. */
@NullMarked
package dev.outbox.internal.dispatch;

import org.jspecify.annotations.NullMarked;
