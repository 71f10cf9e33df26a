package dev.outbox.sample.fulfilment;

import org.jspecify.annotations.Nullable;

/**
 * State of an order: {@code waiting} for its payment, {@code ready} to be packed, or {@code stopped}, with the last processed event and
 * the booking of the courier.
 */
record Fulfilment(
        String orderId,
        String item,
        String status,
        long lastSeq,
        long parcels,
        @Nullable Long courierRequests) {}
