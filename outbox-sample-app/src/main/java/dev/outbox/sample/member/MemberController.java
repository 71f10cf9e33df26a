package dev.outbox.sample.member;

import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Members over HTTP. */
@RestController
final class MemberController {

    private final Members members;

    MemberController(Members members) {
        this.members = members;
    }

    @PostMapping("/guilds/{guildId}/members")
    @ResponseStatus(HttpStatus.CREATED)
    Member join(@PathVariable @Name String guildId, @Valid @RequestBody Join request) {
        return members.join(guildId, request.discordUserId(), request.slug());
    }

    @GetMapping("/members/{id}")
    Member find(@PathVariable UUID id) {
        return members.find(id);
    }

    @PutMapping("/members/{id}/roles")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Member restore(@PathVariable UUID id, @Valid @RequestBody Restore request) {
        return members.requestRestore(id, request.roles());
    }

    record Join(@Name String discordUserId, @Name String slug) {}

    record Restore(@NotEmpty List<@NotNull @Pattern(regexp = "\\P{Cntrl}{1,100}") String> roles) {}
}
