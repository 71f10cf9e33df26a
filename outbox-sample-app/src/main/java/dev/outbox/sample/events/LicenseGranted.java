package dev.outbox.sample.events;

import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * A license was created. Published by licensing.
 *
 * @param licenseId the license
 * @param guildId the guild that it is for
 * @param planCode the plan that it allows
 */
@JsonNaming(SnakeCaseStrategy.class)
public record LicenseGranted(UUID licenseId, String guildId, String planCode) {}
