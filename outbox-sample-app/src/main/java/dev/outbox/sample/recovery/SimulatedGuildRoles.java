package dev.outbox.sample.recovery;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Guild system that accepts every change. */
@Component
final class SimulatedGuildRoles implements GuildRoles {

    private static final Logger log = LoggerFactory.getLogger(SimulatedGuildRoles.class);

    @Override
    public void restore(String guildId, String role) {
        log.info("Role {} restored in guild {}", role, guildId);
    }

    @Override
    public void revoke(String guildId, String member) {
        log.info("Roles of {} removed in guild {}", member, guildId);
    }
}
