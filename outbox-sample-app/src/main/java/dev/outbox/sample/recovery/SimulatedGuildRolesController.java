package dev.outbox.sample.recovery;

import dev.outbox.sample.recovery.SimulatedGuildRoles.Change;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The simulated guild system over HTTP: the changes of a guild. */
@RestController
@ConditionalOnProperty(name = "recovery.guild-roles", havingValue = "simulated")
final class SimulatedGuildRolesController {

    private final SimulatedGuildRoles roles;

    SimulatedGuildRolesController(SimulatedGuildRoles roles) {
        this.roles = roles;
    }

    @GetMapping("/guilds/{guildId}/roles")
    List<Change> changes(@PathVariable String guildId) {
        return roles.changesOf(guildId);
    }
}
