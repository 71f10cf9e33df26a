package dev.outbox.sample.events;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Event with its metadata and its payload, as one JSON text: the answer to a request for an event, and the value of a Kafka record.
 *
 * @param schemaVersion the version of the payload
 * @param eventId the event id
 * @param type the event type
 * @param occurredAt when the event happened
 * @param traceId the trace of the request behind it
 * @param ownerId the owner on whose behalf it is sent
 * @param strategyKey the strategy that caused it
 * @param market the market that it is about
 * @param payload the payload as JSON
 */
public record Envelope(
        int schemaVersion,
        UUID eventId,
        String type,
        Instant occurredAt,
        @Nullable String traceId,
        @Nullable String ownerId,
        @Nullable String strategyKey,
        @Nullable String market,
        @JsonRawValue String payload) {}
