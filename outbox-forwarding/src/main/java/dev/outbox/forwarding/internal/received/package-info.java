/**
 * Order of the events that other services send, whatever broker brings them: the last sequence of each aggregate, late events and gaps. Its
 * front door is {@link dev.outbox.forwarding.internal.received.ReceivedStore}. Tables: outbox_received.
 */
@NullMarked
package dev.outbox.forwarding.internal.received;

import org.jspecify.annotations.NullMarked;
