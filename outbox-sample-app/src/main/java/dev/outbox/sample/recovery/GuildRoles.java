package dev.outbox.sample.recovery;

/** Port to the system that holds the roles of guilds. */
public interface GuildRoles {

    /**
     * Creates a role, outside any transaction. A role that exists already is left as it is, so that a repeated call is harmless.
     *
     * @param guildId the guild
     * @param role the name of the role
     * @throws dev.outbox.NonRetryableException if no attempt can succeed
     * @throws RuntimeException if the system did not confirm the role, so that a retry may succeed
     */
    void restore(String guildId, String role);

    /**
     * Removes all roles of a member, outside any transaction. A member without roles is left as it is.
     *
     * @param guildId the guild
     * @param member the member
     * @throws dev.outbox.NonRetryableException if no attempt can succeed
     * @throws RuntimeException if the system did not confirm the removal, so that a retry may succeed
     */
    void revoke(String guildId, String member);
}
