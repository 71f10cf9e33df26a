package dev.outbox.chaos.defect;

import java.util.List;

/** Defects of publishing and of retention. */
final class PublishingDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "publish outside a transaction",
                    "G1",
                    "TransactionGuard.java",
                    """
                    if (!TransactionSynchronizationManager.isActualTransactionActive()
                            || !TransactionSynchronizationManager.isSynchronizationActive()) {""",
                    "if (phase == null) {",
                    "PublisherTransactionTest"),
            Defect.of(
                    "a sequence of the caller's may repeat",
                    "G3",
                    "EventStore.java",
                    "WHERE :seq::bigint IS NULL OR a.last_seq < :seq::bigint",
                    "WHERE :seq::bigint IS NULL OR a.last_seq <= :seq::bigint",
                    "PublisherSequenceTest"),
            Defect.of(
                    "sequence without an upper bound",
                    "G1",
                    "EventWriter.java",
                    "if (seq != null && (seq < 1 || seq > LARGEST_SEQUENCE)) {",
                    "if (seq != null && seq < 1) {",
                    "PublisherFuzzTest"),
            Defect.of(
                    "events of one call numbered backwards",
                    "G3",
                    "EventStore.java",
                    "PARTITION BY aggregate_type, aggregate_id ORDER BY place)",
                    "PARTITION BY aggregate_type, aggregate_id ORDER BY place DESC)",
                    "PublisherSequenceTest"),
            Defect.of(
                    "retention takes events with dead deliveries",
                    "G8",
                    "RetentionStore.java",
                    "                   AND (SELECT d.outbox_id FROM {schema}.outbox_delivery d"
                            + " WHERE d.outbox_id = o.id LIMIT 1) IS NULL\n",
                    "",
                    "RetentionTest"),
            Defect.of(
                    "retention deletes what it should archive",
                    "G8",
                    "RetentionStore.java",
                    "                 WHERE :keep\n                ON CONFLICT",
                    "                 WHERE NOT :keep\n                ON CONFLICT",
                    "RetentionTest"),
            Defect.of(
                    "retention forgets what a queued event has done",
                    "G7",
                    "RetentionStore.java",
                    "                   AND (SELECT o.id FROM {schema}.outbox_unpublished o"
                            + " WHERE o.event_id = p.event_id LIMIT 1) IS NULL\n",
                    "",
                    "RetentionTest"));

    private PublishingDefects() {}
}
