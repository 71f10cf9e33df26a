package dev.outbox.sample.discord;

/** Port to the guilds that have the bot. */
public interface Bot {

    /**
     * Refuses a guild without the bot. A kick waits for the transaction of the caller, so its event follows what the caller stores.
     *
     * @param guildId the guild
     * @throws dev.outbox.sample.web.NotFoundException if the bot never was in the guild
     * @throws org.springframework.web.server.ResponseStatusException with status 409 if it is no longer there
     */
    void requireIn(String guildId);
}
