package dev.outbox.test.shop;

/** An order has left the warehouse. */
public record OrderShipped(String orderId) {}
