package dev.outbox.sample.push;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Registered users and the notices that they receive: a notice goes to every user who registered before it was published. Either event can
 * be handled first. {@link #addRecipient} waits for notices that are being stored, so a new recipient sees a notice, or the batches of the
 * notice see the new recipient.
 */
@Repository
class Recipients {

    private static final String WAIT_FOR_NOTICES = "LOCK TABLE push.notices IN SHARE MODE";

    private static final String ADD_RECIPIENT = """
            INSERT INTO push.recipients (user_id, registered_at)
            VALUES (:userId, :registeredAt)
            ON CONFLICT (user_id) DO NOTHING
            """;

    private static final String ADD_NOTICE = """
            INSERT INTO push.notices (id, title, body, published_at)
            VALUES (:id, :title, :body, :publishedAt)
            ON CONFLICT (id) DO NOTHING
            """;

    private static final String BATCH = """
            SELECT recipient.user_id
              FROM push.recipients recipient
              JOIN push.notices notice ON notice.id = :noticeId
             WHERE recipient.user_id > :after
               AND recipient.registered_at <= notice.published_at
             ORDER BY recipient.user_id
             LIMIT :size
            """;

    private static final String PUT_NOTICE = """
            INSERT INTO push.inbox (user_id, notice_id, title, body)
            SELECT recipient.user_id, notice.id, notice.title, notice.body
              FROM push.notices notice
              JOIN push.recipients recipient ON recipient.user_id IN (:userIds)
             WHERE notice.id = :noticeId
            ON CONFLICT (notice_id, user_id) DO NOTHING
            RETURNING id
            """;

    private static final String PUT_MISSED_NOTICES = """
            INSERT INTO push.inbox (user_id, notice_id, title, body)
            SELECT recipient.user_id, notice.id, notice.title, notice.body
              FROM push.recipients recipient
              JOIN push.notices notice ON notice.published_at >= recipient.registered_at
             WHERE recipient.user_id = :userId
             ORDER BY notice.id
            ON CONFLICT (notice_id, user_id) DO NOTHING
            RETURNING id
            """;

    private final JdbcClient jdbc;

    Recipients(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Adds a user and the notices published since the registration. Returns the new messages. */
    List<UUID> addRecipient(String userId, Instant registeredAt) {
        jdbc.sql(WAIT_FOR_NOTICES).update();
        jdbc.sql(ADD_RECIPIENT)
                .param("userId", userId)
                .param("registeredAt", Timestamp.from(registeredAt))
                .update();
        return jdbc.sql(PUT_MISSED_NOTICES)
                .param("userId", userId)
                .query(UUID.class)
                .list();
    }

    void addNotice(UUID id, String title, String body, Instant publishedAt) {
        jdbc.sql(ADD_NOTICE)
                .param("id", id)
                .param("title", title)
                .param("body", body)
                .param("publishedAt", Timestamp.from(publishedAt))
                .update();
    }

    /** Returns the next recipients of a notice, in the order of their ids. */
    List<String> batch(UUID noticeId, String after, int size) {
        return jdbc.sql(BATCH)
                .param("noticeId", noticeId)
                .param("after", after)
                .param("size", size)
                .query(String.class)
                .list();
    }

    /** Adds a notice to the inboxes that do not have it. Returns the new messages. */
    List<UUID> put(UUID noticeId, List<String> userIds) {
        return userIds.isEmpty()
                ? List.of()
                : jdbc.sql(PUT_NOTICE)
                        .param("noticeId", noticeId)
                        .param("userIds", userIds)
                        .query(UUID.class)
                        .list();
    }
}
