package dev.outbox.spring.autoconfigure.events.jpa;

import dev.outbox.Outboxed;

/** The version is a copy, and older than the one that the transaction writes. */
@Outboxed(aggregateType = "order", aggregateId = "orderId", sequence = "version")
record OrderBilled(String orderId, long version) {}
