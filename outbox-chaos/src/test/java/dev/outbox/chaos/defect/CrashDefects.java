package dev.outbox.chaos.defect;

import java.util.List;

/** Defects that show when a process or the database fails. */
final class CrashDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "registration commits asynchronously",
                    "G2",
                    "store/HandlerStore.java",
                    "Pipeline.durable(schema, LONGEST_WAIT, LOCK_REGISTRY, REGISTER)",
                    "new Pipeline(schema, LONGEST_WAIT, LOCK_REGISTRY, REGISTER)",
                    "crash.LostRegistrationTest"),
            Defect.of(
                    "heartbeat does not heal registrations",
                    "G2",
                    "dispatch/Subscriptions.java",
                    "if (!registered) {",
                    "if (!registered && catalog.eventTypes().isEmpty()) {",
                    "dispatch.SubscriptionsTest"),
            Defect.of(
                    "first claim after a restart restores no registrations",
                    "G2",
                    "dispatch/Subscriptions.java",
                    "            restore();\n",
                    "",
                    "crash.LostRegistrationTest"),
            Defect.of(
                    "claims survive the incarnation",
                    "G5",
                    "db/outbox/V1__outbox.sql",
                    "        DELETE FROM ${schema}.outbox_claim;\n",
                    "",
                    "crash.LostClaimTest",
                    "crash.LostSettlementTest"),
            Defect.of(
                    "fence without the incarnation",
                    "G5",
                    "store/ClaimSql.java",
                    "               AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = ?)\"\"\"",
                    "               AND ?::uuid IS NOT NULL\"\"\"",
                    "crash.LostClaimTest",
                    "crash.LostSettlementTest"),
            Defect.of(
                    "handler starts without a confirmed lease",
                    "G3",
                    "duty/Lease.java",
                    "TRUSTED_FOR = Duration.ofMillis(100)",
                    "TRUSTED_FOR = Duration.ofDays(1)",
                    "crash.LostClaimTest",
                    "duty.LeaseTest"),
            Defect.of(
                    "confirmation is trusted beyond the lease",
                    "G3",
                    "duty/Lease.java",
                    "&& now.isWithin(life.toNanos(), renewedAt)",
                    "",
                    "duty.LeaseTest"),
            Defect.of(
                    "lease trusts the monotonic clock alone",
                    "G5",
                    "duty/Moment.java",
                    "Math.max(nanos - earlier.nanos, TimeUnit.MILLISECONDS.toNanos(millis - earlier.millis))",
                    "Math.max(nanos - earlier.nanos, TimeUnit.MILLISECONDS.toNanos(0))",
                    "duty.LeaseTest"),
            Defect.of(
                    "expired claim is never dropped",
                    "G2",
                    "store/ClaimSql.java",
                    "AND locked_until < clock_timestamp() FOR UPDATE SKIP LOCKED",
                    "AND locked_until < clock_timestamp() - interval '1 day' FOR UPDATE SKIP LOCKED",
                    "store.ClaimStoreTest",
                    "runtime.KilledProcessTest"),
            Defect.of(
                    "first expired lease makes a suspect",
                    "G4",
                    "dispatch/Dispatcher.java",
                    "boolean suspect = event.attemptCount() > 1;",
                    "boolean suspect = event.attemptCount() > 0;",
                    "runtime.KilledWorkerRecoveryTest",
                    "runtime.KilledProcessTest"),
            Defect.of(
                    "suspects are claimed together",
                    "G4",
                    "store/DeliveryClaimStore.java",
                    "                    OR NOT c.suspect AND NOT (SELECT top.suspect FROM candidate top WHERE top.place = 1)\n",
                    "                    OR true\n",
                    "repair.RepairLanesTest",
                    "runtime.KilledProcessTest"));

    private CrashDefects() {}
}
