/** Delivery of a stream: claim, dispatch, settle, for first deliveries and for retries. */
@NullMarked
package dev.outbox.internal.processing;

import org.jspecify.annotations.NullMarked;
