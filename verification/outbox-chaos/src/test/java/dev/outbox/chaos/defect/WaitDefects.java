package dev.outbox.chaos.defect;

import java.util.List;

/** Defects that make an event wait, for ever or far too long. */
final class WaitDefects {

    static final List<Defect> ALL = List.of(
            Defect.of(
                    "wait for an answer has no limit",
                    "G2",
                    "NetworkTimeout.java",
                    "connection.setNetworkTimeout(Runnable::run, millis);",
                    "connection.setNetworkTimeout(Runnable::run, before);",
                    "NetworkTimeoutTest",
                    "FrozenConnectionsTest"),
            Defect.of(
                    "wait for ever renews its lease",
                    "G2",
                    "Lease.java",
                    "if (!isStalled() && sinceRenewal()",
                    "if (sinceRenewal()",
                    "LeaseTest"),
            Defect.of(
                    "wait for a whole batch instead of a turn",
                    "G4",
                    "BatchLoop.java",
                    "return workers == null && System.nanoTime() - begunAt > LONGEST_UNSETTLED.toNanos();",
                    "return false;",
                    "SlowHandlersTest"),
            Defect.of(
                    "wait for retries that take every thread",
                    "G4",
                    "StreamPoller.java",
                    "workers.share(workers.size() - 1)",
                    "workers.share(workers.size())",
                    "SlowHandlersTest"),
            Defect.of(
                    "wait for a connection that this thread has",
                    "G8",
                    "Attempt.java",
                    "transaction.exists() ? guard.mayStartIn(transaction) : guard.mayStart()",
                    "guard.mayStart()",
                    "SmallPoolTest"),
            Defect.of(
                    "wait for a subscription that never expires",
                    "G8",
                    "HandlerExpiry.java",
                    "return until.isZero() || until.isNegative();",
                    "return until.isZero() && until.isNegative();",
                    "SubscriptionExpiryTest"));

    private WaitDefects() {}
}
