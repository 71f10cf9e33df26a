package dev.outbox.sample.push;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.IdentityEvent.UserRegistered;
import dev.outbox.sample.events.NoticeEvent.NoticePublished;
import dev.outbox.sample.events.PushEvent.NoticeBatchRequested;
import java.util.List;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Adds notices to the inboxes of all users, batch by batch. The event of a batch holds the position, and commits with the previous batch.
 * After a crash, delivery of the notice resumes with the batch that did not commit.
 */
@Component
class NoticeDelivery {

    /** Sorts before every user id. */
    private static final String START = "";

    private final Recipients recipients;
    private final PushRequests requests;
    private final OutboxPublisher outbox;
    private final PushSettings settings;

    NoticeDelivery(Recipients recipients, PushRequests requests, OutboxPublisher outbox, PushSettings settings) {
        this.recipients = recipients;
        this.requests = requests;
        this.outbox = outbox;
        this.settings = settings;
    }

    /** Recipients are known by the id under which they registered, as in reservations. */
    @Transactional
    @OutboxHandler(id = "push.user-registered")
    void userRegistered(UserRegistered event, EventEnvelope envelope) {
        requests.publish(recipients.addRecipient(event.discordUserId(), envelope.occurredAt()));
    }

    @OutboxHandler(id = "push.notice-published", deduplicate = true)
    void noticePublished(NoticePublished event, EventEnvelope envelope) {
        recipients.addNotice(event.noticeId(), event.title(), event.body(), envelope.occurredAt());
        request(new NoticeBatchRequested(event.noticeId(), START));
    }

    @OutboxHandler(id = "push.notice-batch", deduplicate = true)
    void deliverBatch(NoticeBatchRequested batch) {
        List<String> userIds = recipients.batch(batch.noticeId(), batch.after(), settings.noticeBatch());
        requests.publish(recipients.put(batch.noticeId(), userIds));
        if (userIds.size() == settings.noticeBatch()) {
            request(new NoticeBatchRequested(batch.noticeId(), userIds.get(userIds.size() - 1)));
        }
    }

    private void request(NoticeBatchRequested batch) {
        outbox.publish("notice_batch", batch.noticeId().toString(), batch);
    }
}
