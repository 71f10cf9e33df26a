/**
 * Forwards events to a broker that the package does not know, in order per aggregate: answers, faults, pauses and health. Its front door is
 * {@link dev.outbox.forwarding.internal.ForwardingHandler}; a broker implements
 * {@link dev.outbox.forwarding.internal.MessageTarget}.
 */
@NullMarked
package dev.outbox.forwarding.internal;

import org.jspecify.annotations.NullMarked;
