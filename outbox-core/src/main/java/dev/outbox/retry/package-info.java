/** How long to wait after a failure, and when to give up: pure functions. */
@NullMarked
package dev.outbox.retry;

import org.jspecify.annotations.NullMarked;
