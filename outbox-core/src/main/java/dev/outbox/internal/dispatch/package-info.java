/** Who handles an event, and one attempt of a handler. */
@NullMarked
package dev.outbox.internal.dispatch;

import org.jspecify.annotations.NullMarked;
