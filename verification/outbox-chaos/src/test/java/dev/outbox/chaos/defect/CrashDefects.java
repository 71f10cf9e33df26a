package dev.outbox.chaos.defect;

import java.util.List;

/** Defects that show when a process or the database fails. */
final class CrashDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "registration commits asynchronously",
                    "G2",
                    "HandlerStore.java",
                    "Pipeline.durable(schema, LONGEST_WAIT, LOCK_REGISTRY, SKIP_STANDSTILL, REGISTER)",
                    "new Pipeline(schema, LONGEST_WAIT, LOCK_REGISTRY, SKIP_STANDSTILL, REGISTER)",
                    "LostRegistrationTest"),
            Defect.of(
                    "heartbeat does not heal registrations",
                    "G2",
                    "HandlerRegistry.java",
                    "if (!registered) {",
                    "if (!registered && local().eventTypes().isEmpty()) {",
                    "HandlerRegistryTest"),
            Defect.of(
                    "first claim after a restart restores no registrations",
                    "G2",
                    "HandlerRegistry.java",
                    "                restore(before.handlers(), found.handlers());\n",
                    "",
                    "LostRegistrationTest"),
            Defect.of(
                    "claims survive the incarnation",
                    "G5",
                    "db/outbox/migration/V1__outbox.sql",
                    "        DELETE FROM ${schema}.outbox_claim;\n",
                    "",
                    "LostClaimTest",
                    "LostSettlementTest"),
            Defect.of(
                    "fence without the incarnation",
                    "G5",
                    "ClaimStore.java",
                    "               AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)\"\"\"",
                    "               AND :incarnation::uuid IS NOT NULL\"\"\"",
                    "LostClaimTest",
                    "LostSettlementTest"),
            Defect.of(
                    "handler starts without a confirmed lease",
                    "G3",
                    "Lease.java",
                    "TRUSTED_FOR = Duration.ofMillis(100)",
                    "TRUSTED_FOR = Duration.ofDays(1)",
                    "LostClaimTest",
                    "LeaseTest"),
            Defect.of(
                    "confirmation is trusted beyond the lease",
                    "G3",
                    "Lease.java",
                    "&& now.isWithin(life.toNanos(), renewedAt)",
                    "",
                    "LeaseTest"),
            Defect.of(
                    "lease trusts the monotonic clock alone",
                    "G5",
                    "Moment.java",
                    "Math.max(nanos - earlier.nanos, TimeUnit.MILLISECONDS.toNanos(millis - earlier.millis))",
                    "Math.max(nanos - earlier.nanos, TimeUnit.MILLISECONDS.toNanos(0))",
                    "LeaseTest"),
            Defect.of(
                    "expired claim is never dropped",
                    "G2",
                    "ClaimSql.java",
                    "AND locked_until < clock_timestamp() FOR UPDATE SKIP LOCKED",
                    "AND locked_until < clock_timestamp() - interval '1 day' FOR UPDATE SKIP LOCKED",
                    "ClaimFenceTest",
                    "KilledProcessTest"),
            Defect.of(
                    "first expired lease makes a suspect",
                    "G4",
                    "EventDispatch.java",
                    "boolean suspect = event.attemptCount() > 1;",
                    "boolean suspect = event.attemptCount() > 0;",
                    "KilledWorkerRecoveryTest",
                    "KilledProcessTest"),
            Defect.of(
                    "suspects are claimed together",
                    "G4",
                    "DeliverySql.java",
                    "                    OR NOT c.suspect AND NOT (SELECT top.suspect FROM candidate top WHERE top.place = 1)\n",
                    "                    OR true\n",
                    "RetryLanesTest",
                    "KilledProcessTest"));

    private CrashDefects() {}
}
