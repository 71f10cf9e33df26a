package dev.outbox.sample.fulfilment;

import org.jspecify.annotations.Nullable;

/**
 * How far an order is: {@code waiting} for its payment, {@code ready} to be packed, or {@code stopped}; the last event that was
 * processed; and what the courier knows of it.
 */
record Fulfilment(
        String orderId,
        String item,
        String status,
        long lastSeq,
        long parcels,
        @Nullable Long courierRequests) {}
