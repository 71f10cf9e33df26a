package dev.outbox.sample.guild;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.outbox.sample.guild.Guilds.Position;
import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
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

    private final Guilds guilds;

    GatewayController(Guilds guilds) {
        this.guilds = guilds;
    }

    /** Discord sends GUILD_CREATE at each connection too, and GUILD_DELETE for an outage with {@code unavailable}: neither is a change. */
    @PostMapping("/discord/events")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void dispatch(@Valid @RequestBody GatewayEvent event) {
        GuildData guild = event.d();
        if (event.op() != 0 || Boolean.TRUE.equals(guild.unavailable())) {
            return;
        }
        Position position = new Position(event.sessionId(), event.s());
        switch (event.t()) {
            case "GUILD_CREATE" -> guilds.joined(guild.id(), owner(guild), position);
            case "GUILD_DELETE" -> guilds.left(guild.id(), position);
            default -> throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "unexpected event " + event.t());
        }
    }

    private static String owner(GuildData guild) {
        if (guild.ownerId() == null) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "GUILD_CREATE must have d.owner_id");
        }
        return guild.ownerId();
    }

    /** Payload of the gateway: opcode, sequence, type and data. */
    record GatewayEvent(
            int op,
            @NotNull Long s,
            @Nullable @JsonProperty("session_id") String sessionId,
            @NotNull String t,
            @NotNull @Valid GuildData d) {}

    record GuildData(
            @Name String id,
            @Nullable @JsonProperty("owner_id") String ownerId,
            @Nullable Boolean unavailable) {}
}
