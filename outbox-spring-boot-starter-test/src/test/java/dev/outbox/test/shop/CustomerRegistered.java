package dev.outbox.test.shop;

/** A customer was registered. */
public record CustomerRegistered(String name) {}
