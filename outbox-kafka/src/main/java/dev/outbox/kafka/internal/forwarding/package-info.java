/**
 * Forwards events to a broker that the package does not know, in order per aggregate: waves, faults, pauses and health. Its front door is
 * {@link dev.outbox.kafka.internal.forwarding.ForwardingHandler}; a broker implements
 * {@link dev.outbox.kafka.internal.forwarding.MessageTarget}.
 */
@NullMarked
package dev.outbox.kafka.internal.forwarding;

import org.jspecify.annotations.NullMarked;
