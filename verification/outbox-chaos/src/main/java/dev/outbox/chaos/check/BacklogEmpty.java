package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.FinalState.StoredDelivery;
import dev.outbox.chaos.history.FinalState.StoredEvent;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.History.Lane;
import dev.outbox.chaos.history.StateChange;
import dev.outbox.chaos.history.StateChange.Kind;
import dev.outbox.chaos.history.TransactionHistory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * In the end no event is open, except behind a dead one that blocks its lane, and each was done in time after the last fault, its commit
 * or the moment at which it was due, whichever is latest.
 */
final class BacklogEmpty implements Rule {

    private final long deadline;

    BacklogEmpty(CheckSettings settings) {
        this.deadline = settings.backlogDeadline().toNanos();
    }

    @Override
    public void check(History history, Violations violations) {
        Set<Lane> blocked = blockedLanes(history);
        long lastFault = history.faults().lastRecoverable();
        for (EventHistory event : history.events()) {
            if (isOpen(event, blocked)) {
                violations.add(event + " is still open", List.of(event.stored(), event.deliveries()));
            } else {
                checkTime(event, lastFault, violations);
            }
        }
    }

    private static Set<Lane> blockedLanes(History history) {
        Set<Lane> blocked = new HashSet<>();
        for (EventHistory event : history.events()) {
            event.deliveries().stream()
                    .filter((row) -> row.status().equals("BLOCKING"))
                    .forEach((row) -> blocked.add(laneOf(event, row)));
        }
        return blocked;
    }

    private static Lane laneOf(EventHistory event, StoredDelivery row) {
        return new Lane(row.handler(), event.aggregateOrNone());
    }

    private static boolean isOpen(EventHistory event, Set<Lane> blocked) {
        if (event.stored().stream().map(StoredEvent::status).anyMatch("PENDING"::equals)) {
            return true;
        }
        List<StoredDelivery> open = event.deliveries().stream()
                .filter((row) -> !StateChange.isDead(row.status()))
                .toList();
        return open.isEmpty()
                ? event.stored().stream().map(StoredEvent::status).anyMatch("RETRYING"::equals)
                : open.stream().anyMatch((row) -> !blocked.contains(laneOf(event, row)));
    }

    private void checkTime(EventHistory event, long lastFault, Violations violations) {
        TransactionHistory transaction = event.transaction();
        if (transaction == null || event.changes().stream().anyMatch(BacklogEmpty::isWish)) {
            return;
        }
        long committed =
                transaction.completedAt() == Long.MAX_VALUE ? transaction.intendedAt() : transaction.completedAt();
        Long due = event.due();
        long ready = due == null ? committed : Math.max(committed, due);
        long bound = Math.max(ready, lastFault) + deadline;
        event.changes().stream()
                .filter((change) -> !isRemovalByRetention(change))
                .filter((change) -> change.at() > bound)
                .findFirst()
                .ifPresent((change) -> violations.add(event + " was done too late", List.of(transaction, change)));
    }

    private static boolean isWish(StateChange change) {
        return change.kind() == Kind.OPERATION || change.subject().replay();
    }

    private static boolean isRemovalByRetention(StateChange change) {
        return change.kind() == Kind.EVENT && change.old().status().equals("PUBLISHED");
    }
}
