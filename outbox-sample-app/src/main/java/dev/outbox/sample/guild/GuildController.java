package dev.outbox.sample.guild;

import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import java.net.URI;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Guilds over HTTP, as Discord would report them. */
@RestController
@RequestMapping("/guilds")
final class GuildController {

    private final Guilds guilds;

    GuildController(Guilds guilds) {
        this.guilds = guilds;
    }

    @PostMapping
    ResponseEntity<Guild> install(@Valid @RequestBody InstallBot request) {
        Guild guild = guilds.install(request.guildId(), request.installerUserId());
        return ResponseEntity.created(URI.create("/guilds/" + guild.id())).body(guild);
    }

    @GetMapping("/{id}")
    Guild find(@PathVariable String id) {
        return guilds.find(id);
    }

    @DeleteMapping("/{id}/bot")
    Guild kick(@PathVariable String id) {
        return guilds.kick(id);
    }

    @PutMapping("/{id}/owner")
    Guild changeOwner(@PathVariable String id, @Valid @RequestBody ChangeOwner request) {
        return guilds.changeOwner(id, request.userId());
    }

    @DeleteMapping("/{id}")
    Guild delete(@PathVariable String id) {
        return guilds.delete(id);
    }

    record InstallBot(@Name String guildId, @Name String installerUserId) {}

    record ChangeOwner(@Name String userId) {}
}
