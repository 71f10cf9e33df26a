package dev.outbox.sample.identity;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.IdentityEvent.UserRegistered;
import dev.outbox.sample.events.IdentityEvent.UserSessionCreated;
import dev.outbox.sample.web.Name;
import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Users and their sessions over HTTP. */
@RestController
@RequestMapping("/users")
class Users {

    private static final String REGISTER = """
            INSERT INTO identity.users (id, discord_user_id)
            VALUES (:id, :discordUserId)
            ON CONFLICT (discord_user_id) DO NOTHING
            RETURNING id, discord_user_id, registered_at
            """;

    private static final String SIGN_IN = """
            INSERT INTO identity.sessions (id, user_id)
            SELECT :id, id
              FROM identity.users
             WHERE id = :userId
            RETURNING id, user_id, created_at
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Users(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    /** Stores the user and the event in one transaction: either both are there, or neither is. */
    @Transactional
    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    User register(@Valid @RequestBody Register request) {
        String discordUserId = request.discordUserId();
        UUID id = UUID.randomUUID();
        User user = jdbc.sql(REGISTER)
                .param("id", id)
                .param("discordUserId", discordUserId)
                .query(User.class)
                .optional()
                .orElseThrow(() -> new ResponseStatusException(
                        HttpStatus.CONFLICT, "Discord user " + discordUserId + " is registered already"));
        outbox.publish("user", id.toString(), new UserRegistered(id, discordUserId));
        return user;
    }

    @Transactional
    @PostMapping("/{userId}/sessions")
    @ResponseStatus(HttpStatus.CREATED)
    Session signIn(@PathVariable UUID userId) {
        UUID id = UUID.randomUUID();
        Session session = jdbc.sql(SIGN_IN)
                .param("id", id)
                .param("userId", userId)
                .query(Session.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("user", userId));
        outbox.publish("user", userId.toString(), new UserSessionCreated(userId, id.toString()));
        return session;
    }

    record Register(@Name String discordUserId) {}
}
