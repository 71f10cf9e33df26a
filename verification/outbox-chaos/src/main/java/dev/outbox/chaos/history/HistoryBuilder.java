package dev.outbox.chaos.history;

import dev.outbox.chaos.history.EventHistory.Withdrawal;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Intended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Operated;
import dev.outbox.chaos.history.Fact.Overtaken;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.Fact.Scheduled;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.Fact.Subscribed;
import dev.outbox.chaos.history.Fact.Withdrawn;
import dev.outbox.chaos.history.FinalState.Booking;
import dev.outbox.chaos.history.FinalState.LedgerRow;
import dev.outbox.chaos.history.History.Subscriptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Puts facts in any order together by event. */
final class HistoryBuilder {

    private final Map<UUID, EventHistory> events = new HashMap<>();
    private final Map<String, TransactionHistory> transactions = new HashMap<>();
    private final List<Completed> completed = new ArrayList<>();
    private final List<Scheduled> scheduled = new ArrayList<>();
    private final List<Withdrawn> withdrawn = new ArrayList<>();
    private final List<Subscribed> subscribed = new ArrayList<>();
    private final List<Fault> faultFacts = new ArrayList<>();
    private final List<Operated> operations = new ArrayList<>();
    private final Set<String> processes = new HashSet<>();

    void add(Fact fact) {
        if (fact instanceof Intended intended) {
            processes.add(intended.process());
            TransactionHistory transaction = new TransactionHistory(intended);
            if (transactions.put(transaction.name(), transaction) != null) {
                throw new IllegalStateException("Two transactions are named " + intended.transaction());
            }
            intended.events().forEach((event) -> event(event.eventId()).intend(transaction, normalized(event)));
        } else if (fact instanceof Published published) {
            event(published.eventId()).publish(published);
        } else if (fact instanceof Scheduled later) {
            scheduled.add(later);
        } else if (fact instanceof Withdrawn withdrawal) {
            withdrawn.add(withdrawal);
        } else if (fact instanceof Completed outcome) {
            completed.add(outcome);
        } else if (fact instanceof Started start) {
            processes.add(start.process());
            event(start.eventId()).add(new Execution(start));
        } else if (fact instanceof Ended end) {
            event(end.eventId()).add(end);
        } else if (fact instanceof Subscribed subscription) {
            processes.add(subscription.process());
            subscribed.add(subscription);
        } else if (fact instanceof Fault fault) {
            faultFacts.add(fault);
        } else if (fact instanceof Operated operated) {
            operations.add(operated);
        } else if (fact instanceof Overtaken overtaken) {
            overtaken.removed().forEach((id) -> event(id).overtake(overtaken));
            overtaken.waiting().forEach((id) -> event(id).overtake(overtaken));
        }
    }

    /** With the payload as the database has it. */
    private static IntendedEvent normalized(IntendedEvent event) {
        return new IntendedEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                JsonbText.of(event.payload()).intern(),
                event.headers(),
                event.rolledBack());
    }

    private TransactionHistory transaction(String name) {
        TransactionHistory transaction = transactions.get(name);
        if (transaction == null) {
            throw new IllegalStateException("No process intended transaction " + name);
        }
        return transaction;
    }

    private EventHistory event(UUID id) {
        return events.computeIfAbsent(id, EventHistory::new);
    }

    History build(FinalState found) {
        Faults faults = new Faults(faultFacts);
        Subscriptions subscriptions = new Subscriptions(subscribed);
        completed.forEach((fact) -> transaction(fact.transaction()).complete(fact));
        for (Scheduled fact : scheduled) {
            EventHistory event = event(fact.event().eventId());
            event.intend(transaction(fact.transaction()), normalized(fact.event()));
            event.schedule(fact.due() * 1000 + found.clock());
        }
        for (Withdrawn fact : withdrawn) {
            TransactionHistory transaction = transaction(fact.transaction());
            if (transaction.outcome() != Commit.ABORTED) {
                UUID replacement = fact.replacement();
                event(fact.eventId())
                        .withdraw(new Withdrawal(transaction, replacement == null ? null : event(replacement)));
            }
        }
        for (Operated operated : operations) {
            String handler = subscriptions.current(operated.handler());
            event(operated.eventId())
                    .add(new Operated(
                            operated.at(), operated.operator(), operated.kind(), operated.eventId(), handler));
        }
        found.events().forEach((row) -> event(row.eventId()).add(row));
        found.scheduled().forEach((row) -> event(row.eventId()).add(row));
        found.deliveries().forEach((row) -> event(row.eventId()).add(row.of(subscriptions.current(row.handler()))));
        List<LedgerRow> ledger = found.ledger();
        if (ledger != null) {
            ledger.forEach((row) -> event(row.eventId()).add(row));
        }
        List<Booking> bookings = found.bookings();
        if (bookings != null) {
            bookings.forEach((row) -> event(row.eventId()).book(subscriptions.current(row.handler())));
        }
        for (StateChange change : found.changes()) {
            UUID eventId = change.subject().eventId();
            if (eventId != null) {
                event(eventId).add(change.withHandlers(subscriptions::current));
            }
        }
        Map<String, Long> deaths = new HashMap<>();
        for (EventHistory event : events.values()) {
            event.completeExecutions(
                    subscriptions::current, (process) -> deaths.computeIfAbsent(process, faults::deathOf));
        }
        return new History(events, transactions.values(), subscriptions, faults, found, processes);
    }
}
