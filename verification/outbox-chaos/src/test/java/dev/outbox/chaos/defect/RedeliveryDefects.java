package dev.outbox.chaos.defect;

import java.util.List;

/** Defects of retry lanes and replay. */
final class RedeliveryDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "later events overtake a failed one",
                    "G3",
                    "Dispatcher.java",
                    "if (outcome.blocksLane()) {",
                    "if (false) {",
                    "RetryTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "claims ignore blocked lanes",
                    "G3",
                    "claim.sql",
                    "WHERE l.aggregate_type = o.aggregate_type AND l.aggregate_id = o.aggregate_id),",
                    "WHERE false),",
                    "RetryTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "lane in any order",
                    "G3",
                    "claim-lanes.sql",
                    "AND d.aggregate_seq >= l.first_seq\n ORDER BY d.aggregate_seq\n LIMIT CASE WHEN l.crashes = 0",
                    "AND d.aggregate_seq >= l.first_seq\n ORDER BY d.aggregate_seq DESC\n LIMIT CASE WHEN l.crashes = 0",
                    "RetryLanesTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "claim takes lanes without looking under the lock",
                    "G3",
                    "claim-lanes.sql",
                    """
                    AND l.claim_id IS NULL
                    AND l.due_at < now()
                    LIMIT 1
                      FOR UPDATE SKIP LOCKED""",
                    "LIMIT 1 FOR UPDATE SKIP LOCKED",
                    "LaneRacesTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "claim of lanes without the stream lock",
                    "G2",
                    "claim-lanes.sql",
                    "FOR SHARE OF s;",
                    ";",
                    "ExpiredClaimsTest"),
            Defect.of(
                    "lane is left as it was",
                    "G2",
                    "LaneSql.java",
                    "first_seq = lane.aggregate_seq,\n due_at = CASE WHEN lane.stays THEN l.due_at ELSE greatest(lane.next_retry_at, clock_timestamp()) END,",
                    "first_seq = lane.aggregate_seq,",
                    "RetryLanesTest",
                    "RetryTest"),
            Defect.of(
                    "empty lane stays",
                    "G3",
                    "LaneSql.java",
                    "WHERE l.ctid = lane.place AND lane.aggregate_seq IS NULL",
                    "WHERE l.ctid = lane.place AND lane.aggregate_seq IS NULL AND false",
                    "RetryLanesTest",
                    "RetryTest"),
            Defect.of(
                    "queueing does not lock a lane that is there",
                    "G2",
                    "queue.sql",
                    """
                    DO UPDATE
                    SET first_seq = least(l.first_seq, excluded.first_seq),
                    due_at = CASE WHEN l.claim_id IS NULL AND excluded.first_seq < l.first_seq THEN excluded.due_at ELSE l.due_at END,
                    crash_count = CASE WHEN excluded.first_seq < l.first_seq THEN least(l.crash_count, (l.claim_id IS NULL)::integer)
                    ELSE l.crash_count END,
                    claim_id = coalesce(l.claim_id, excluded.claim_id)""",
                    "DO NOTHING",
                    "OperationRacesTest",
                    "RetryLanesTest"),
            Defect.of(
                    "claim does not keep a lane that is there",
                    "G3",
                    "queue.sql",
                    "coalesce(l.claim_id, excluded.claim_id)",
                    "l.claim_id",
                    "AwaitedEventOperationsTest"),
            Defect.of(
                    "operator leaves an expired lease",
                    "G8",
                    "OperationStore.java",
                    "leases.endExpired(DeliveryRef.streams(batch));",
                    "",
                    "RetryWhileWorkersRunTest"),
            Defect.of(
                    "operator changes what a worker attempts",
                    "G5",
                    "OperationStore.java",
                    "SELECT * FROM selected WHERE NOT selected.busy",
                    "SELECT * FROM selected",
                    "RetryWhileWorkersRunTest"),
            Defect.of(
                    "dead letter after the first failure",
                    "G8",
                    "FailedAttempts.java",
                    "|| (counts && (next.isEmpty() || isNonRetryable(ex, policy)));",
                    "|| counts;",
                    "RetryTest"),
            Defect.of(
                    "event with a dead letter leaves the queue",
                    "G8",
                    "settle-lanes.sql",
                    "WHEN rest.dead + pass.dead > 0 THEN 'DEAD'",
                    "WHEN rest.dead + pass.dead < 0 THEN 'DEAD'",
                    "RetryTest",
                    "RetryLanesTest"),
            Defect.of(
                    "event with another dead letter leaves the queue after a skip",
                    "G8",
                    "LaneSql.java",
                    "WHERE event.open = 0 AND event.dead = 0",
                    "WHERE event.open = 0",
                    "SkipOperationTest"),
            Defect.of(
                    "replay forgets nothing of a deduplicating handler",
                    "G7",
                    "ReplayStore.java",
                    "AND p.handler_id = ANY (:names::text[])",
                    "AND p.handler_id = ANY (:names::text[]) AND false",
                    "ReplayOrderTest",
                    "ReplayTest",
                    "DeduplicationTest"),
            Defect.of(
                    "replay enters lanes beside claims",
                    "G3",
                    "LaneSql.java",
                    "AND c.claimed_at <= d.created_at",
                    "AND c.claimed_at <= d.created_at AND false",
                    "ReplayOrderTest",
                    "ReplayTest",
                    "ReplayOfLanesTest"));

    private RedeliveryDefects() {}
}
