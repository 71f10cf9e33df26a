package dev.outbox.sample.discord;

import java.util.List;

/**
 * Port to the system that holds the roles of guilds. Call it outside any transaction. A call without an effect is harmless, so a call can be
 * repeated. Each throws a {@link dev.outbox.NonRetryableException} if no attempt can succeed, and another {@link RuntimeException} if the
 * system has not answered, so that a retry may succeed.
 */
public interface GuildRoles {

    /**
     * Reads the names of the roles that {@link #restore} can create.
     *
     * @param guildId the guild
     * @return the names
     */
    List<String> read(String guildId);

    /**
     * Creates a role. A role that exists already is left as it is.
     *
     * @param guildId the guild
     * @param role the name of the role
     */
    void restore(String guildId, String role);

    /**
     * Gives a member a role that exists.
     *
     * @param guildId the guild
     * @param member the member
     * @param role the name of the role
     */
    void grant(String guildId, String member, String role);

    /**
     * Removes all roles of a member. A member without roles is left as it is.
     *
     * @param guildId the guild
     * @param member the member
     */
    void revoke(String guildId, String member);
}
