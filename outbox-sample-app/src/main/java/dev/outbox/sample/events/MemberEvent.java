package dev.outbox.sample.events;

import java.util.List;
import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/** Events about members of guilds: published by the member context, aggregate {@code member}. */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface MemberEvent {

    /** A user joined a guild through its page; {@code slug} names the page. */
    record MemberJoinedViaWebJoin(UUID memberId, String guildId, String slug) implements MemberEvent {}

    /** A member was given roles back by hand. */
    record MemberRestored(UUID memberId, String guildId, List<String> restoredRoles) implements MemberEvent {}
}
