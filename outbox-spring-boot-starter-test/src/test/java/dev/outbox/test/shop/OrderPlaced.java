package dev.outbox.test.shop;

/** An order was placed. */
public record OrderPlaced(String orderId, String article) {}
