package dev.outbox.sample.reservation;

import java.time.Instant;
import java.util.UUID;

/** A place at a time: {@code requested}, then {@code confirmed}. */
record Reservation(UUID id, String userId, String place, Instant startsAt, String status) {}
