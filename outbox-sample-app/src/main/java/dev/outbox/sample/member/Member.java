package dev.outbox.sample.member;

import java.util.List;
import java.util.UUID;

/** User who belongs to a guild, and the roles that the last restore gave back. */
record Member(UUID id, String guildId, String discordUserId, String slug, List<String> roles) {}
