/** Finds the handlers of an event, invokes them and says what came of it; writes no outcome. */
@NullMarked
package dev.outbox.dispatch;

import org.jspecify.annotations.NullMarked;
