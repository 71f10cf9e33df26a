package dev.outbox.sample.events;

import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/** What happens to users: published by identity, about the aggregate {@code user}. */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface IdentityEvent {

    /** Somebody signed up. */
    record UserRegistered(UUID userId, String discordUserId) implements IdentityEvent {}

    /** A user signed in. */
    record UserSessionCreated(UUID userId, UUID sessionId) implements IdentityEvent {}
}
