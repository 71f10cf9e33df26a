package dev.outbox.sample.events;

import java.util.UUID;

/** Events about notices: published by notice, aggregate {@code notice}. */
public sealed interface NoticeEvent {

    /** A notice to all users was published. */
    record NoticePublished(UUID noticeId, String title, String body) implements NoticeEvent {}
}
