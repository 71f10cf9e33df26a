package dev.outbox.chaos.check;

import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import dev.outbox.chaos.history.StateChange.Kind;
import dev.outbox.chaos.history.StateChange.State;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Only the holder of a live claim writes: an event is settled in a transaction that changes the claim which lists it, a delivery under
 * the token of the claim that has its lane, both by the application that claimed, and nothing is claimed twice. An operator writes what the
 * operation log says.
 */
final class Fenced implements Rule {

    private static final Set<String> SETTLED = Set.of("RETRYING", "DEAD", "PUBLISHED", "NONE");

    @Override
    public void check(History history, Violations violations) {
        new Run(history.state().changes(), violations).check();
    }

    /** One pass over the changes. */
    private static final class Run {

        private final Violations violations;
        private final List<StateChange> changes;
        /** The claims that a transaction found alive and changed. */
        private final Map<Long, Map<Long, Claim>> held = new HashMap<>();

        private final Map<UUID, StateChange> laneClaims = new HashMap<>();
        private final Set<String> operations = new HashSet<>();

        private record Claim(StateChange made, Set<Long> events) {}

        Run(List<StateChange> changes, Violations violations) {
            this.changes = changes;
            this.violations = violations;
        }

        void check() {
            readClaims();
            for (StateChange change : changes) {
                if (change.kind() == Kind.EVENT) {
                    checkEvent(change);
                } else if (change.kind() == Kind.DELIVERY) {
                    checkDelivery(change);
                } else if (change.kind() == Kind.LANE) {
                    checkLane(change);
                }
            }
        }

        private void readClaims() {
            Map<Long, Claim> live = new HashMap<>();
            Map<Long, Claim> byEvent = new HashMap<>();
            for (StateChange change : changes) {
                if (change.kind() == Kind.OPERATION) {
                    operations.add(operation(change));
                } else if (change.kind() == Kind.CLAIM) {
                    Claim old = live.remove(change.subject().id());
                    if (old != null) {
                        held.computeIfAbsent(change.transaction(), (key) -> new HashMap<>())
                                .putIfAbsent(change.subject().id(), old);
                        if (change.claimed() != null || change.now().equals(State.NONE)) {
                            old.events().forEach((event) -> byEvent.remove(event, old));
                        }
                    }
                    if (!change.now().equals(State.NONE)) {
                        live.put(change.subject().id(), claim(change, old, byEvent));
                    }
                }
            }
        }

        private Claim claim(StateChange change, @Nullable Claim old, Map<Long, Claim> byEvent) {
            Set<Long> events = change.claimed();
            if (events == null) {
                return old == null ? new Claim(change, Set.of()) : old;
            }
            Claim claim = new Claim(old == null ? change : old.made(), events);
            for (Long event : events) {
                Claim other = byEvent.put(event, claim);
                if (other != null && other.made().id() != claim.made().id()) {
                    violations.add("two live claims list the event at " + event, List.of(other.made(), change));
                }
            }
            return claim;
        }

        private void checkEvent(StateChange change) {
            if (!change.old().status().equals("PENDING")
                    || !SETTLED.contains(change.now().status())
                    || operations.contains(operation(change))) {
                return;
            }
            Claim claim = held.getOrDefault(change.transaction(), Map.of()).values().stream()
                    .filter((one) -> one.events().contains(change.subject().id()))
                    .findFirst()
                    .orElse(null);
            if (claim == null) {
                violations.add("an event is settled without a live claim", List.of(change));
            } else if (!claim.made().application().equals(change.application())) {
                violations.add("an event is settled under the claim of another", List.of(claim.made(), change));
            }
        }

        private void checkLane(StateChange change) {
            UUID token = change.now().token();
            Long until = change.old().lockedUntil();
            if (change.old().token() != null && until != null && until > change.at()) {
                violations.add("a lane is claimed that another worker holds", List.of(change));
            }
            if (token != null) {
                laneClaims.put(token, change);
            }
        }

        private void checkDelivery(StateChange change) {
            UUID old = change.old().token();
            if (!isSettlement(change) || operations.contains(operation(change))) {
                return;
            }
            StateChange claim = old == null ? null : laneClaims.get(old);
            if (claim == null) {
                violations.add("a delivery is settled without a live claim", List.of(change));
            } else if (!claim.application().equals(change.application())) {
                violations.add("a delivery is settled under the claim of another", List.of(claim, change));
            }
        }

        /** An expired registration ends what no worker has claimed. */
        private static boolean isSettlement(StateChange change) {
            State old = change.old();
            State now = change.now();
            boolean isExpired = ("HANDLER_EXPIRED".equals(now.errorCode()) || "NOT_SELECTED".equals(now.errorCode()))
                    && old.retries() == now.retries();
            if (old.equals(State.NONE) || isExpired) {
                return false;
            }
            if (now.equals(State.NONE)) {
                return !(change.subject().replay() && old.attempts() == 0 && old.token() == null);
            }
            return now.retries() > old.retries() || change.isDeath();
        }

        private static String operation(StateChange change) {
            return change.transaction() + " " + change.subject().eventId() + " "
                    + change.subject().handler();
        }
    }
}
