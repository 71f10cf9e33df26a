package dev.outbox.test.shop;

/** The stock of an article was counted; in the stream {@code bulk}. */
public record StockCounted(String article) {}
