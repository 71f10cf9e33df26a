package dev.outbox.sample.events;

import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/** Events about guilds: published by the guild context, aggregate {@code guild}. */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface GuildEvent {

    /** Returns the id of the guild. */
    String guildId();

    /** The bot is now in a guild, or no longer. */
    sealed interface PresenceEvent extends GuildEvent {}

    /** A guild has this owner from now on. */
    sealed interface OwnerEvent extends GuildEvent {

        /** Returns the id of the owner. */
        String ownerId();
    }

    /** The bot was installed in a guild. */
    record BotInstalled(String guildId, String installerUserId) implements PresenceEvent, OwnerEvent {

        @Override
        public String ownerId() {
            return installerUserId;
        }
    }

    /** The bot was kicked out of a guild. */
    record BotKicked(String guildId) implements PresenceEvent {}

    /** A guild has another owner. */
    record GuildOwnerChanged(String guildId, String oldOwnerId, String newOwnerId) implements OwnerEvent {

        @Override
        public String ownerId() {
            return newOwnerId;
        }
    }

    /** A guild was deleted. */
    record GuildDeleted(String guildId) implements PresenceEvent {}
}
