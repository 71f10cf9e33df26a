package dev.outbox.sample.events;

import java.time.Instant;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * The audit log of a guild has an entry about a deleted channel or role: published by the guild context, aggregate {@code deletion}, whose
 * id is that of the guild.
 */
@JsonNaming(SnakeCaseStrategy.class)
public record DeletionReported(String entryId, String guildId, String userId, Instant deletedAt) {}
