package dev.outbox.sample.ordering;

/** An order: {@code placed}, then {@code paid} or {@code canceled}. */
record Order(String id, String item, String status, long version) {}
