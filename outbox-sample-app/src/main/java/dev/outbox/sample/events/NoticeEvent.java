package dev.outbox.sample.events;

import java.util.UUID;

/** What happens to notices: published by notice, about the aggregate {@code notice}. */
public sealed interface NoticeEvent {

    /** A notice was published, for everybody. */
    record NoticePublished(UUID noticeId, String title, String body) implements NoticeEvent {}
}
