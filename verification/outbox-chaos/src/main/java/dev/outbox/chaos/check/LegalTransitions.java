package dev.outbox.chaos.check;

import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import dev.outbox.chaos.history.StateChange.Kind;
import dev.outbox.testing.Transitions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Events and deliveries change their status only as {@code docs/states.md} lists, and begin where the last change ended. */
final class LegalTransitions implements Rule {

    /** Status of a row; a move to history is a deletion and an insertion in one transaction. */
    private record Status(String status, StateChange change) {}

    private record Row(long outboxId, @Nullable String handler) {}

    @Override
    public void check(History history, Violations violations) {
        Set<Move> moves = moves(history);
        Map<Row, Status> rows = new HashMap<>();
        for (StateChange change : history.state().changes()) {
            if (change.kind() != Kind.EVENT && change.kind() != Kind.DELIVERY) {
                continue;
            }
            boolean moved = change.kind() == Kind.EVENT && moves.contains(Move.of(change));
            String old = change.old().status();
            String now = change.now().status();
            if (moved && now.equals("NONE")) {
                now = "PUBLISHED";
            } else if (moved && now.equals("PUBLISHED") && old.equals("NONE")) {
                continue;
            }
            Row row = new Row(change.subject().id(), change.subject().handler());
            Status last = rows.put(row, new Status(now, change));
            Set<String> legal = change.kind() == Kind.EVENT ? Transitions.OF_EVENTS : Transitions.OF_DELIVERIES;
            if (!legal.contains(old + " " + now)) {
                violations.add("no transition leads from " + old + " to " + now, List.of(change));
            } else if (!old.equals(last == null ? "NONE" : last.status())) {
                violations.add(
                        "a change begins at " + old + ", where the last one ended otherwise",
                        last == null ? List.of(change) : List.of(last.change(), change));
            }
        }
    }

    /** An event that leaves a partition and comes to another in one transaction. */
    private record Move(long transaction, long outboxId) {

        static Move of(StateChange change) {
            return new Move(change.transaction(), change.subject().id());
        }
    }

    private static Set<Move> moves(History history) {
        Set<Move> left = new HashSet<>();
        Set<Move> moves = new HashSet<>();
        for (int pass = 0; pass < 2; pass++) {
            for (StateChange change : history.state().changes()) {
                if (change.kind() == Kind.EVENT && pass == 0 && change.now().equals(StateChange.State.NONE)) {
                    left.add(Move.of(change));
                } else if (change.kind() == Kind.EVENT
                        && pass == 1
                        && change.now().status().equals("PUBLISHED")
                        && left.contains(Move.of(change))) {
                    moves.add(Move.of(change));
                }
            }
        }
        return moves;
    }
}
