/** The loop of a stream: claim, dispatch, settle; and what wakes it and keeps its leases. */
@NullMarked
package dev.outbox.poll;

import org.jspecify.annotations.NullMarked;
