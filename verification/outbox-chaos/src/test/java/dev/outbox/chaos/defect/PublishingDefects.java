package dev.outbox.chaos.defect;

import java.util.List;

/** Defects of publishing, of scheduled events and of retention. */
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
                    "an aggregate type that the outbox and the application number",
                    "G3",
                    "publish.sql",
                    """
                    AND t.counted = :counted
                    AND t.origin IS NOT DISTINCT FROM :origin::text))
                    ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE""",
                    """
                    AND t.origin IS NOT DISTINCT FROM :origin::text AND :counted IS NOT NULL))
                    ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE""",
                    "NumberingTest"),
            Defect.of(
                    "a batch of a type that the outbox and the application number",
                    "G3",
                    "publish.sql",
                    "AND t.counted = (e.sequence IS NULL)",
                    "AND t.counted IS NOT NULL",
                    "NumberingTest"),
            Defect.of(
                    "sequence without an upper bound",
                    "G1",
                    "EventWriter.java",
                    "if (sequence != null && (sequence < 0 || sequence > LARGEST_SEQUENCE)) {",
                    "if (sequence != null && sequence < 0) {",
                    "PublisherFuzzTest"),
            Defect.of(
                    "events of one call numbered backwards",
                    "G3",
                    "publish.sql",
                    "PARTITION BY aggregate_type, aggregate_id ORDER BY place)",
                    "PARTITION BY aggregate_type, aggregate_id ORDER BY place DESC)",
                    "PublisherSequenceTest"),
            new Defect(
                    "scheduled events move before they are due",
                    "G3",
                    List.of(
                            new Defect.Edit(
                                    "schedule.sql",
                                    "AND s.due_at <= now() ORDER BY s.due_at, s.event_id LIMIT CASE",
                                    "ORDER BY s.due_at, s.event_id LIMIT CASE"),
                            new Defect.Edit("schedule.sql", "AND s.due_at <= now() RETURNING", "RETURNING")),
                    List.of("ScheduledEventsTest")),
            Defect.of(
                    "scheduled events move and stay",
                    "G8",
                    "schedule.sql",
                    "DELETE FROM {schema}.outbox_scheduled s WHERE s.event_id = ANY",
                    "UPDATE {schema}.outbox_scheduled s SET due_at = s.due_at WHERE s.event_id = ANY",
                    "ScheduledEventsTest"),
            Defect.of(
                    "scheduled events move while their aggregate is locked",
                    "G4",
                    "schedule.sql",
                    "FOR UPDATE SKIP LOCKED) a",
                    ") a",
                    "ScheduledEventsTest"),
            Defect.of(
                    "cancel does not wait for the aggregate",
                    "G1",
                    "EventStore.java",
                    "lockAggregates(connection, new TreeSet<>(List.of(aggregate)));",
                    "",
                    "ScheduledEventsTest"),
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
