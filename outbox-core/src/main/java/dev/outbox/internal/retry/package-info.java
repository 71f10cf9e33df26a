/** Retry policies: the delay after a failure, and the end of all attempts. */
@NullMarked
package dev.outbox.internal.retry;

import org.jspecify.annotations.NullMarked;
