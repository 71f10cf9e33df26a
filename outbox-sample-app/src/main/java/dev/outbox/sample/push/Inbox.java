package dev.outbox.sample.push;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Inboxes of all users, over HTTP. A sent or failed message keeps its status. */
@RestController
class Inbox {

    private static final String PUT = """
            INSERT INTO push.inbox (id, user_id, title, body)
            VALUES (:id, :userId, :title, :body)
            ON CONFLICT (id) DO NOTHING
            RETURNING id
            """;

    private static final String BEGIN_ATTEMPT = """
            UPDATE push.inbox
               SET attempts = attempts + 1
             WHERE id = :id
               AND status = 'PENDING'
            RETURNING id, user_id, title, body, status, failure, attempts, created_at
            """;

    private static final String END = """
            UPDATE push.inbox
               SET status = :status,
                   failure = :failure
             WHERE id = :id
               AND status = 'PENDING'
            """;

    private static final String OF_USER = """
            SELECT id, user_id, title, body, status, failure, attempts, created_at
              FROM push.inbox
             WHERE user_id = :userId
             ORDER BY created_at DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;

    Inbox(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Adds a message, and returns its id if it is new: a replayed event adds its message once. */
    Optional<UUID> put(UUID id, String userId, String title, String body) {
        return jdbc.sql(PUT)
                .param("id", id)
                .param("userId", userId)
                .param("title", title)
                .param("body", body)
                .query(UUID.class)
                .optional();
    }

    /** Counts an attempt to push a message and returns the message, or empty if it was already sent or has failed for good. */
    Optional<InboxMessage> beginAttempt(UUID id) {
        return jdbc.sql(BEGIN_ATTEMPT).param("id", id).query(InboxMessage.class).optional();
    }

    void sent(UUID id) {
        end(id, "SENT", null);
    }

    /** Returns whether the message was still pending. */
    boolean failed(UUID id, String failure) {
        return end(id, "FAILED", failure);
    }

    @GetMapping("/inbox/{userId}")
    List<InboxMessage> of(@PathVariable String userId) {
        return jdbc.sql(OF_USER)
                .param("userId", userId)
                .query(InboxMessage.class)
                .list();
    }

    private boolean end(UUID id, String status, @Nullable String failure) {
        return jdbc.sql(END)
                        .param("id", id)
                        .param("status", status)
                        .param("failure", failure)
                        .update()
                == 1;
    }
}
