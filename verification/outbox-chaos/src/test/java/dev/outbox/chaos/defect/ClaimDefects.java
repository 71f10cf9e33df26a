package dev.outbox.chaos.defect;

import java.util.List;

/** Defects of claims and of their window. */
final class ClaimDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "claim does not wait for open writers",
                    "G2",
                    "claim.sql",
                    """
                    WHEN s.open_writers = (SELECT count(*)
                                             FROM pg_snapshot_xip(pg_current_snapshot()) x
                                            WHERE x < s.horizon)
                    THEN s.low_water_mark
                    ELSE s.safe_mark END AS id""",
                    "ELSE s.low_water_mark END AS id",
                    "ClaimWindowTest",
                    "SlowPublisherTest"),
            Defect.of(
                    "window reads the last id too late",
                    "G2",
                    "ClaimStore.java",
                    "READ_LAST_ID, LOCK_STREAM, FIND_LAGGING",
                    "LOCK_STREAM, READ_LAST_ID, FIND_LAGGING",
                    "ClaimWindowTest",
                    "SlowPublisherTest"),
            Defect.of(
                    "claim without the stream lock",
                    "G3",
                    "claim.sql",
                    "WHERE s.stream = :stream\n FOR UPDATE OF s;",
                    "WHERE s.stream = :stream;",
                    "OrderPropertyTest",
                    "ClaimStoreTest"),
            Defect.of(
                    "claim takes aggregates of other claims",
                    "G3",
                    "claim.sql",
                    """
                    NOT IN (SELECT unnest(c.aggregates)
                              FROM {schema}.outbox_claim c
                             WHERE c.id >= (SELECT start.first_claim FROM start)
                               AND c.stream = :stream""",
                    "NOT IN (SELECT 0 WHERE :stream::text IS NULL",
                    "ClaimStoreTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "order by event id",
                    "G3",
                    "claim.sql",
                    "FROM claimable UNION ALL SELECT skipped.id FROM skipped))\n ORDER BY o.id;",
                    "FROM claimable UNION ALL SELECT skipped.id FROM skipped))\n ORDER BY o.event_id;",
                    "OrderPropertyTest"),
            Defect.of(
                    "claim skips locked rows alone",
                    "G3",
                    "claim.sql",
                    "AND (oldest.aggregate NOT IN (SELECT skipped.aggregate FROM skipped)",
                    "AND (oldest.id NOT IN (SELECT skipped.id FROM skipped)",
                    "ClaimStoreTest"),
            Defect.of(
                    "claims have no bound of bytes",
                    "G2",
                    "ClaimStore.java",
                    "MOST_BYTES = 8 * 1024 * 1024L",
                    "MOST_BYTES = Long.MAX_VALUE",
                    "LargePayloadsTest"),
            Defect.of(
                    "default isolation level of the pool",
                    "G3",
                    "Pipeline.java",
                    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE",
                    "ClaimStoreTest",
                    "OrderPropertyTest"));

    private ClaimDefects() {}
}
