package dev.outbox.sample.notice;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.NoticeEvent.NoticePublished;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Keeps notices. A notice and its event are stored together. */
@Service
class Notices {

    private static final String STORE = """
            INSERT INTO notice.notices (id, title, body)
            VALUES (:id, :title, :body)
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Notices(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    UUID publish(String title, String body) {
        UUID id = UUID.randomUUID();
        jdbc.sql(STORE)
                .param("id", id)
                .param("title", title)
                .param("body", body)
                .update();
        outbox.publish("notice", id.toString(), new NoticePublished(id, title, body));
        return id;
    }
}
