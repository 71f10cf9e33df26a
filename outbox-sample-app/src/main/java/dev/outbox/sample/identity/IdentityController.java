package dev.outbox.sample.identity;

import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Users and their sessions over HTTP. */
@RestController
@RequestMapping("/users")
final class IdentityController {

    private final Users users;

    IdentityController(Users users) {
        this.users = users;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    User register(@Valid @RequestBody Register request) {
        return users.register(request.discordUserId());
    }

    @PostMapping("/{id}/sessions")
    @ResponseStatus(HttpStatus.CREATED)
    Session signIn(@PathVariable UUID id) {
        return users.signIn(id);
    }

    record Register(@Name String discordUserId) {}
}
