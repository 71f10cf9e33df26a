package dev.outbox.sample.notice;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.NoticeEvent.NoticePublished;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Notices over HTTP. A notice and its event are stored together. */
@RestController
class Notices {

    private static final String STORE = """
            INSERT INTO notice.notices (id, title, body)
            VALUES (:noticeId, :title, :body)
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Notices(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    @PostMapping("/notices")
    @ResponseStatus(HttpStatus.CREATED)
    Published publish(@Valid @RequestBody PublishNotice request) {
        NoticePublished notice = new NoticePublished(UUID.randomUUID(), request.title(), request.body());
        jdbc.sql(STORE).paramSource(notice).update();
        outbox.publish("notice", notice.noticeId().toString(), notice);
        return new Published(notice.noticeId());
    }

    record PublishNotice(
            @NotBlank @Size(max = 100) String title,
            @NotBlank @Size(max = 1000) String body) {}

    record Published(UUID id) {}
}
