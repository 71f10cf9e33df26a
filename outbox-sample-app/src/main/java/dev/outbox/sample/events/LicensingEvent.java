package dev.outbox.sample.events;

import java.time.Instant;
import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * Events about licenses: published by licensing, aggregate {@code license}, with the guild in
 * {@link Headers#GUILD_ID}.
 */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface LicensingEvent {

    /** A license was created. */
    record LicenseGranted(UUID licenseId, String guildId, String planCode) implements LicensingEvent {}

    /** A license was extended. */
    record LicenseExtended(UUID licenseId, Instant newExpiresAt) implements LicensingEvent {}

    /** A license was downgraded. */
    record LicenseDowngraded(UUID licenseId, String oldPlan, String newPlan) implements LicensingEvent {}

    /** A license was suspended. */
    record LicenseSuspended(UUID licenseId, String reason) implements LicensingEvent {}

    /** A license was canceled. */
    record LicenseCanceled(UUID licenseId) implements LicensingEvent {}
}
