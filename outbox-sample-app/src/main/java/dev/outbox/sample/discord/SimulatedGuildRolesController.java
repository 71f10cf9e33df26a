package dev.outbox.sample.discord;

import dev.outbox.sample.discord.SimulatedGuildRoles.Role;
import dev.outbox.sample.web.Name;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/** The simulated guild system over HTTP, as its moderators see it. */
@RestController
@ConditionalOnProperty(name = "discord.guild-roles", havingValue = "simulated")
final class SimulatedGuildRolesController {

    private final SimulatedGuildRoles roles;

    SimulatedGuildRolesController(SimulatedGuildRoles roles) {
        this.roles = roles;
    }

    @GetMapping("/guilds/{guildId}/roles")
    List<Role> roles(@PathVariable String guildId) {
        return roles.rolesOf(guildId);
    }

    @PutMapping("/guilds/{guildId}/roles/{role}")
    void create(@PathVariable @Name String guildId, @PathVariable @Name String role) {
        roles.create(guildId, role);
    }

    @DeleteMapping("/guilds/{guildId}/roles/{role}")
    void delete(@PathVariable String guildId, @PathVariable String role) {
        roles.delete(guildId, role);
    }

    @GetMapping("/guilds/{guildId}/members/{member}/roles")
    List<String> rolesOfMember(@PathVariable String guildId, @PathVariable String member) {
        return roles.rolesOf(guildId, member);
    }
}
