package dev.outbox.chaos.check;

import dev.outbox.NonRetryableException;
import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A delivery dies only after all its attempts failed, or for a reason that another attempt cannot help. One whose handler comes back does
 * not expire, nor one that a running process selects.
 */
final class DeathsJustified implements Rule {

    private static final Set<String> CLASSIFIED =
            Set.of("UNDECODABLE_PAYLOAD", "PAYLOAD_MISMATCH", "SETTLEMENT_REFUSED");

    private static final String NON_RETRYABLE = NonRetryableException.class.getSimpleName();

    private final CheckSettings settings;

    DeathsJustified(CheckSettings settings) {
        this.settings = settings;
    }

    @Override
    public void check(History history, Violations violations) {
        for (EventHistory event : history.events()) {
            event.changes().stream()
                    .filter((change) -> change.isDeath())
                    .filter((change) -> !isJustified(history, event, change))
                    .forEach((change) -> violations.add(
                            event + " died too early",
                            List.of(change, event.executions(handler(change)).toList())));
        }
    }

    private boolean isJustified(History history, EventHistory event, StateChange change) {
        String code = change.now().errorCode();
        if (code == null) {
            return false;
        }
        if (CLASSIFIED.contains(code)) {
            return true;
        }
        if (code.equals("HANDLER_EXPIRED")) {
            return !history.subscriptions().isRegisteredAfter(change.at(), handler(change));
        }
        if (code.equals("NOT_SELECTED")) {
            return history.isExpired(event, handler(change), change.at());
        }
        if (code.equals("CRASH_LOOP")) {
            return change.now().crashes() > settings.maxCrashes();
        }
        long executions = event.executions(handler(change)).count();
        if (code.equals(NON_RETRYABLE)) {
            return executions > 0;
        }
        return change.now().retries() >= settings.maxAttempts() && executions >= settings.maxAttempts();
    }

    private static String handler(StateChange change) {
        return Objects.requireNonNullElse(change.subject().handler(), "");
    }
}
