package dev.outbox.sample.events;

import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/** Events about guilds: published by the guild context, aggregate {@code guild}. */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface GuildEvent {

    /** The bot was installed in a guild. */
    record BotInstalled(String guildId, String installerUserId) implements GuildEvent {}

    /** The bot was kicked out of a guild. */
    record BotKicked(String guildId) implements GuildEvent {}

    /** A guild has another owner. */
    record GuildOwnerChanged(String guildId, String oldOwnerId, String newOwnerId) implements GuildEvent {}

    /** A guild was deleted. */
    record GuildDeleted(String guildId) implements GuildEvent {}
}
