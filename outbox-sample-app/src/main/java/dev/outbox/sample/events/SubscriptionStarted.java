package dev.outbox.sample.events;

import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * A subscription was created and its first payment succeeded. Published by billing.
 *
 * @param subscriptionId the subscription
 * @param guildId the guild that it is for
 * @param planCode the plan that was bought
 */
@JsonNaming(SnakeCaseStrategy.class)
public record SubscriptionStarted(UUID subscriptionId, String guildId, String planCode) {}
