CREATE SCHEMA discord;

-- The simulated guild system, which stands for Discord.
CREATE TABLE discord.simulated_roles (
    guild_id text    NOT NULL,
    role     text    NOT NULL,
    requests integer NOT NULL DEFAULT 0,
    CONSTRAINT simulated_roles_pk PRIMARY KEY (guild_id, role)
);

COMMENT ON COLUMN discord.simulated_roles.requests IS 'How often a restore of the role was requested';

CREATE TABLE discord.simulated_member_roles (
    guild_id text NOT NULL,
    member   text NOT NULL,
    role     text NOT NULL,
    CONSTRAINT simulated_member_roles_pk PRIMARY KEY (guild_id, member, role),
    CONSTRAINT simulated_member_roles_role FOREIGN KEY (guild_id, role) REFERENCES discord.simulated_roles ON DELETE CASCADE
);
