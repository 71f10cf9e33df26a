package dev.outbox.chaos.defect;

import java.util.List;

/** Defects of settlements. */
final class SettlementDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "settlement without the claim",
                    "G5",
                    "SettlementStore.java",
                    "DELETE FROM {schema}.outbox_unpublished o WHERE o.id = ANY (:succeeded) AND EXISTS (SELECT FROM fence)",
                    "DELETE FROM {schema}.outbox_unpublished o WHERE o.id = ANY (:succeeded)",
                    "ClaimFenceTest"),
            Defect.of(
                    "refused settlement is not isolated",
                    "G4",
                    "Causes.java",
                    "!ENVIRONMENT.contains(state.substring(0, 2))",
                    "ENVIRONMENT.isEmpty()",
                    "RefusedSettlementTest"),
            Defect.of(
                    "outcomes that arrive during a settlement are forgotten",
                    "G3",
                    "Batch.java",
                    "left.addAll(unsettled.subList(outcomes.size(), unsettled.size()));",
                    "",
                    "BatchTest"),
            Defect.of(
                    "event is done when its first handler is",
                    "G2",
                    "Dispatcher.java",
                    "return false; } } return true; }",
                    "return true; } } return true; }",
                    "PublishToHandlerTest",
                    "RetryTest",
                    "StreamPollerTest"),
            Defect.of(
                    "redelivery settles without its claim",
                    "G5",
                    "settle-lanes.sql",
                    """
                    AND (SELECT l.claim_id
                           FROM {schema}.outbox_lane l
                          WHERE l.aggregate_type = d.aggregate_type AND l.aggregate_id = d.aggregate_id AND l.handler_id = d.handler_id
                          LIMIT 1) = :claim
                    AND EXISTS (SELECT FROM claim)""",
                    "AND :claim::bigint IS NOT NULL",
                    "RetryLanesFenceTest"));

    private SettlementDefects() {}
}
