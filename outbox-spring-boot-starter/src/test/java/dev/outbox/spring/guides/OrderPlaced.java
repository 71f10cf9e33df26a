package dev.outbox.spring.guides;

/** An order was placed. */
record OrderPlaced(String orderId, String article) {}
