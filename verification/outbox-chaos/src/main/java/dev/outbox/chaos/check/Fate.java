package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.TransactionHistory;

/** Fate of an event, in Jepsen's terms. */
enum Fate {
    /** It was to be stored, and is. */
    OK,
    /** Its commit was left open, and it is stored. */
    RECOVERED,
    /** It was not to be stored, or its commit was left open, and it left no trace. */
    ABSENT,
    /** It was scheduled, and withdrawn before it moved. */
    WITHDRAWN,
    /** It was committed, or a handler saw it, and it is gone; its commit may lie after what a standby or a backup has. */
    LOST_BY_CONTRACT,
    /** It was committed, or a handler saw it, and it is gone. */
    LOST,
    /** Kafka lost its record before an inbox read it, and an operator decided to continue behind it. */
    GIVEN_UP,
    /** It was not to be stored, and left a trace. */
    UNEXPECTED;

    static Fate of(EventHistory event, History history) {
        TransactionHistory transaction = event.transaction();
        IntendedEvent intended = event.intended();
        boolean isThere = event.isThere();
        boolean seen = !event.executions().isEmpty();
        if (transaction == null || intended == null) {
            return UNEXPECTED;
        }
        if (intended.rolledBack() || transaction.outcome() == Commit.ABORTED) {
            return isThere || seen ? UNEXPECTED : ABSENT;
        }
        boolean committed = transaction.outcome() == Commit.COMMITTED;
        if (isThere) {
            return committed ? OK : RECOVERED;
        }
        if (event.isWithdrawn()) {
            return WITHDRAWN;
        }
        if (!committed && !seen) {
            return ABSENT;
        }
        if (history.isGivenUp(event) && !seen) {
            return GIVEN_UP;
        }
        return history.faults().mayForget(transaction) ? LOST_BY_CONTRACT : LOST;
    }

    boolean isStored() {
        return this == OK || this == RECOVERED;
    }
}
