package dev.outbox.sample.events;

import java.time.Instant;
import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * What happens to licenses: published by licensing, about the aggregate {@code license}, with the guild in
 * {@link Headers#GUILD_ID}.
 */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface LicensingEvent {

    /** A license was created. */
    record LicenseGranted(UUID licenseId, String guildId, String planCode) implements LicensingEvent {}

    /** A license lasts longer. */
    record LicenseExtended(UUID licenseId, Instant newExpiresAt) implements LicensingEvent {}

    /** A license allows a lower plan. */
    record LicenseDowngraded(UUID licenseId, String oldPlan, String newPlan) implements LicensingEvent {}

    /** A license does not count for the time being. */
    record LicenseSuspended(UUID licenseId, String reason) implements LicensingEvent {}

    /** A license is over. */
    record LicenseCanceled(UUID licenseId) implements LicensingEvent {}
}
