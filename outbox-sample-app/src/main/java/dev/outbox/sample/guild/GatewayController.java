package dev.outbox.sample.guild;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.outbox.sample.events.DeletionReported;
import dev.outbox.sample.guild.Guilds.Position;
import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Intake of gateway events, which the process that holds the connection to Discord forwards in their order, and may repeat. It can add the
 * {@code session_id} of the connection, in which {@code s} counts.
 */
@RestController
final class GatewayController {

    /** The types of entries in the audit log about a deleted channel and a deleted role. */
    private static final Set<Integer> DELETIONS = Set.of(12, 32);

    private static final Instant DISCORD_EPOCH = Instant.parse("2015-01-01T00:00:00Z");

    private final Guilds guilds;

    GatewayController(Guilds guilds) {
        this.guilds = guilds;
    }

    /**
     * Discord sends GUILD_CREATE at each connection too, and GUILD_DELETE for an outage with {@code unavailable}: neither is a change. Of
     * deletions, the entry in the audit log says who made them, but CHANNEL_DELETE and GUILD_ROLE_DELETE do not.
     */
    @PostMapping("/discord/events")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void dispatch(@Valid @RequestBody GatewayEvent event) {
        Data data = event.d();
        if (event.op() != 0 || Boolean.TRUE.equals(data.unavailable())) {
            return;
        }
        Position position = new Position(event.sessionId(), event.s());
        switch (event.t()) {
            case "GUILD_CREATE" -> guilds.joined(data.id(), required("owner_id", data.ownerId(), event), position);
            case "GUILD_DELETE" -> guilds.left(data.id(), position);
            case "GUILD_AUDIT_LOG_ENTRY_CREATE" -> recorded(data, event, position);
            default -> throw badRequest("unexpected event " + event.t());
        }
    }

    /** Passes on the deletion of a channel or role, of a user that Discord names. */
    private void recorded(Data entry, GatewayEvent event, Position position) {
        Integer action = entry.actionType();
        String user = entry.userId();
        if (action != null && DELETIONS.contains(action) && user != null) {
            String guildId = required("guild_id", entry.guildId(), event);
            guilds.reported(new DeletionReported(entry.id(), guildId, user, timeOf(entry.id())), position);
        }
    }

    private static String required(String field, @Nullable String value, GatewayEvent event) {
        if (value == null) {
            throw badRequest(event.t() + " must have d." + field);
        }
        return value;
    }

    /** Discord's ids contain the time of their creation. */
    private static Instant timeOf(String id) {
        try {
            return DISCORD_EPOCH.plusMillis(Long.parseLong(id) >> 22);
        } catch (NumberFormatException ex) {
            throw badRequest("d.id must be an id of Discord: " + id);
        }
    }

    private static ResponseStatusException badRequest(String problem) {
        return new ResponseStatusException(HttpStatus.BAD_REQUEST, problem);
    }

    /** Payload of the gateway: opcode, sequence, type and data. */
    record GatewayEvent(
            int op,
            @NotNull Long s,
            @Nullable @JsonProperty("session_id") String sessionId,
            @NotNull String t,
            @NotNull @Valid Data d) {}

    /** A guild, or an entry in the audit log of one. */
    record Data(
            @Name String id,
            @Nullable @JsonProperty("owner_id") String ownerId,
            @Nullable Boolean unavailable,
            @Nullable @JsonProperty("guild_id") String guildId,

            @Nullable @Pattern(regexp = "[A-Za-z0-9_-]{1,64}") @JsonProperty("user_id")
            String userId,

            @Nullable @JsonProperty("action_type") Integer actionType) {}
}
