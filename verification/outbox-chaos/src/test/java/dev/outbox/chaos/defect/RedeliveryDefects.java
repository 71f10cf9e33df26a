package dev.outbox.chaos.defect;

import java.util.List;

/** Defects of retry lanes and replay. */
final class RedeliveryDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "later events overtake a failed one",
                    "G3",
                    "EventDispatch.java",
                    "if (outcome.blocksLane()) {",
                    "if (false) {",
                    "RetryTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "claims ignore blocked lanes",
                    "G3",
                    "ClaimSql.java",
                    "                       AND d.head),\n",
                    "                       AND d.head AND false),\n",
                    "RetryTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "every failed delivery is a head",
                    "G3",
                    "SettlementStore.java",
                    "                                                  ORDER BY aggregate_seq) = 1\n",
                    "                                                  ORDER BY aggregate_seq) > 0\n",
                    "RetryLanesTest",
                    "RetryTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "followers of a lane in any order",
                    "G3",
                    "LaneSql.java",
                    "                                    AND w.status = 'WAITING'\n                                  ORDER BY w.aggregate_seq\n                                  LIMIT 1) next\n",
                    "                                    AND w.status = 'WAITING'\n                                  ORDER BY w.aggregate_seq DESC\n                                  LIMIT 1) next\n",
                    "RetryLanesTest",
                    "OrderPropertyTest"),
            Defect.of(
                    "expired claim ends for the head alone",
                    "G3",
                    "DeliverySql.java",
                    "AND w.lock_token = due.lock_token",
                    "AND w.lock_token = due.lock_token AND false",
                    "PartlyLostLeaseTest"),
            Defect.of(
                    "demoted head keeps its expired claim",
                    "G3",
                    "LaneSql.java",
                    """
                    head = false,
                    crash_count = d.crash_count + (d.locked_until IS NOT NULL)::integer,
                    locked_by = NULL,
                    lock_token = NULL,
                    locked_until = NULL
                    FROM head""",
                    "head = false FROM head",
                    "PartlyLostLeaseTest"),
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
                    "LaneSql.java",
                    "WHERE event.open = 0 AND event.dead = 0",
                    "WHERE event.open = 0",
                    "RetryTest",
                    "RetryLanesTest"),
            Defect.of(
                    "replay forgets nothing of a deduplicating handler",
                    "G7",
                    "ReplayDeliveryStore.java",
                    "                   AND p.handler_id = ANY (:names::text[])\n            ), reopened",
                    "                   AND p.handler_id = ANY (:names::text[]) AND false\n            ), reopened",
                    "ReplayOrderTest",
                    "ReplayTest",
                    "DeduplicationTest"),
            Defect.of(
                    "replay enters lanes beside claims",
                    "G3",
                    "DeliverySql.java",
                    "                                                             WHERE c.stream = :stream\n"
                            + "                                                               AND c.claimed_at <= d.created_at\n",
                    "                                                             WHERE c.stream = :stream AND false\n"
                            + "                                                               AND c.claimed_at <= d.created_at\n",
                    "ReplayOrderTest",
                    "ReplayTest",
                    "ReplayOfLanesTest"));

    private RedeliveryDefects() {}
}
