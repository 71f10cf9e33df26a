package dev.outbox.sample.events;

import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/** Events about users: published by identity, aggregate {@code user}. */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface IdentityEvent {

    /** A user signed up. */
    record UserRegistered(UUID userId, String discordUserId) implements IdentityEvent {}

    /** A user signed in. */
    record UserSessionCreated(UUID userId, @Masked String sessionId) implements IdentityEvent {}
}
