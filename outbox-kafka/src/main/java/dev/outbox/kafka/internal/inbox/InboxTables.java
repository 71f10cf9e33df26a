package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.schema.TableModule;

/** Tables of inboxes, which exist in the schema of an outbox that has one. */
public final class InboxTables {

    public static final TableModule MODULE = TableModule.named("kafka", "outbox_received", "outbox_inbox_offset");

    private InboxTables() {}
}
