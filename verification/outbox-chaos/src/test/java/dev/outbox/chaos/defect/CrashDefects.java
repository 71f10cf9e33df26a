package dev.outbox.chaos.defect;

import java.util.List;

/** Defects that show when a process or the database fails. */
final class CrashDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "registration commits asynchronously",
                    "G2",
                    "HandlerStore.java",
                    "Pipeline.durable( schema, LONGEST_WAIT, LOCK_REGISTRY, SKIP_STANDSTILL,",
                    "new Pipeline(schema, LONGEST_WAIT, LOCK_REGISTRY, SKIP_STANDSTILL,",
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
                    "G2",
                    "LeaseStore.java",
                    "OR c.incarnation IS DISTINCT FROM (SELECT i.token FROM {schema}.outbox_incarnation i)",
                    "OR c.incarnation IS NULL",
                    "ExpiredClaimsTest"),
            Defect.of(
                    "fence without the incarnation",
                    "G5",
                    "ClaimKey.java",
                    "AND c.incarnation = (SELECT i.token FROM {schema}.outbox_incarnation i)",
                    "AND c.incarnation IS NOT NULL",
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
                    "LeaseStore.java",
                    "(c.locked_until < clock_timestamp()",
                    "(c.locked_until < clock_timestamp() - interval '1 day'",
                    "ClaimFenceTest",
                    "KilledWorkerRecoveryTest"),
            Defect.of(
                    "first expired lease makes a suspect",
                    "G4",
                    "Dispatcher.java",
                    "return expiredClaims > 1;",
                    "return expiredClaims > 0;",
                    "KilledWorkerRecoveryTest"),
            Defect.of(
                    "suspects are claimed together",
                    "G4",
                    "claim-lanes.sql",
                    "LIMIT CASE WHEN (SELECT bool_or(candidate.suspect) FROM candidate) THEN 1 ELSE :batch_size END) l",
                    "LIMIT :batch_size) l",
                    "RetryLanesTest",
                    "KilledWorkerRecoveryTest"),
            Defect.of(
                    "lane goes on in batches after a crash",
                    "G4",
                    "claim-lanes.sql",
                    "LIMIT CASE WHEN l.crashes = 0 AND first.retry_count = 0",
                    "LIMIT CASE WHEN first.retry_count = 0",
                    "KilledWorkerRecoveryTest",
                    "RetryLanesTest"),
            Defect.of(
                    "next delivery inherits crashes",
                    "G4",
                    "LaneSql.java",
                    "crash_count = CASE WHEN l.first_seq = lane.aggregate_seq THEN l.crash_count",
                    "crash_count = CASE WHEN l.first_seq IS NOT NULL THEN l.crash_count",
                    "KilledWorkerRecoveryTest",
                    "RetryLanesTest"),
            Defect.of(
                    "expired claim of lanes counts no crash",
                    "G4",
                    "expired.sql",
                    "crash_count = l.crash_count + lane.counts::integer,",
                    "crash_count = l.crash_count,",
                    "ExpiredClaimsTest",
                    "KilledWorkerRecoveryTest"),
            Defect.of(
                    "expired claim is deleted although a lane is locked",
                    "G2",
                    "expired.sql",
                    "> (SELECT count(*) FROM lane WHERE lane.claim_id = dead.id)",
                    "< 0",
                    "ExpiredClaimsTest"));

    private CrashDefects() {}
}
