package dev.outbox.sample.member;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.discord.GuildRoles;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Gives members their roles back, each outside any transaction. A later delivery repeats what is harmless to repeat. */
@Component
class MemberRestores {

    private final Members members;
    private final GuildRoles guildRoles;

    MemberRestores(Members members, GuildRoles guildRoles) {
        this.members = members;
        this.guildRoles = guildRoles;
    }

    @OutboxHandler(id = "member.restore")
    void restoreRequested(MemberRestoreRequested event, EventEnvelope envelope) {
        Member member = members.find(UUID.fromString(envelope.aggregateId()));
        for (String role : event.roles()) {
            guildRoles.grant(member.guildId(), member.discordUserId(), role);
        }
        members.restored(member, event.roles(), envelope.eventId());
    }
}
