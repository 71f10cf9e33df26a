package dev.outbox.sample.reservation;

import java.time.Instant;
import java.util.UUID;

/** Reservation of a place: {@code requested}, then {@code confirmed}. */
record Reservation(UUID id, String userId, String place, Instant startsAt, String status) {}
