package dev.outbox.chaos.history;

import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Operated;
import dev.outbox.chaos.history.Fact.Operation;
import dev.outbox.chaos.history.Fact.Overtaken;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.FinalState.LedgerRow;
import dev.outbox.chaos.history.FinalState.ScheduledEvent;
import dev.outbox.chaos.history.FinalState.StoredDelivery;
import dev.outbox.chaos.history.FinalState.StoredEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything that is known of one event. */
public final class EventHistory {

    private final UUID id;
    private @Nullable IntendedEvent intended;
    private @Nullable TransactionHistory transaction;
    private @Nullable Published published;
    private @Nullable Long due;
    private @Nullable ScheduledEvent scheduled;
    private List<Withdrawal> withdrawals = List.of();
    private List<Execution> executions = List.of();
    private List<Ended> ends = List.of();
    private List<StoredEvent> stored = List.of();
    private List<LedgerRow> ledger = List.of();
    private List<StoredDelivery> deliveries = List.of();
    private List<StateChange> changes = List.of();
    private List<Operated> operations = List.of();
    private List<String> bookings = List.of();
    private @Nullable Overtaken overtaken;

    /** A transaction that replaced or cancelled it, and the event that replaced it; {@code null} if none did. */
    public record Withdrawal(
            TransactionHistory transaction, @Nullable EventHistory replacement) {}

    EventHistory(UUID id) {
        this.id = id;
    }

    /** Returns the event id. */
    public UUID id() {
        return id;
    }

    /** Returns what its publisher intended; {@code null} if no publisher did. */
    public @Nullable IntendedEvent intended() {
        return intended;
    }

    /** Returns the transaction that was to publish it; {@code null} if there is none. */
    public @Nullable TransactionHistory transaction() {
        return transaction;
    }

    /** Returns what the publish call returned; {@code null} if it is not known. */
    public @Nullable Published published() {
        return published;
    }

    /** Returns the earliest moment at which it may be due; {@code null} if it was not scheduled. */
    public @Nullable Long due() {
        return due;
    }

    /** Returns its row while it is scheduled; {@code null} if there is none. */
    public @Nullable ScheduledEvent scheduled() {
        return scheduled;
    }

    /** Returns the transactions of publishers that withdrew it while it was scheduled, unless they did not commit. */
    public List<Withdrawal> withdrawals() {
        return withdrawals;
    }

    /** Returns whether a publisher withdrew it, or may have, or an operator cancelled it. */
    public boolean isWithdrawn() {
        return !withdrawals.isEmpty() || isOperated("CANCEL_SCHEDULED");
    }

    /** Returns whether an operator did this to the event as a whole. */
    public boolean isOperated(String action) {
        return changes.stream().anyMatch((change) -> change.isOperation(action));
    }

    /** Returns the executions of all handlers, in the order of their starts. */
    public List<Execution> executions() {
        return executions;
    }

    /** Returns the executions of a handler, in the order of their starts. */
    public Stream<Execution> executions(String handler) {
        return executions.stream()
                .filter((execution) -> execution.started().handler().equals(handler));
    }

    /** Returns the rows that hold it. */
    public List<StoredEvent> stored() {
        return stored;
    }

    /** Returns its business rows. */
    public List<LedgerRow> ledger() {
        return ledger;
    }

    /** Returns its deliveries that are left. */
    public List<StoredDelivery> deliveries() {
        return deliveries;
    }

    /** Returns the changes of its state and of its deliveries, and the operations on it, in order. */
    public List<StateChange> changes() {
        return changes;
    }

    /** Returns the handlers that booked an effect of it, once for each effect. */
    public List<String> bookings() {
        return bookings;
    }

    /** Returns what operators did with it alone. */
    public List<Operated> operations() {
        return operations;
    }

    /** Returns how retention overtook an inbox at its record or before; {@code null} if it did not. */
    public @Nullable Overtaken overtaken() {
        return overtaken;
    }

    /** Returns whether it survived, or is scheduled still. */
    public boolean isThere() {
        return survived() || scheduled != null;
    }

    /** Returns whether the database holds it as published, or retention removed it. */
    public boolean survived() {
        return !stored.isEmpty() || isRemovedByRetention();
    }

    private boolean isRemovedByRetention() {
        for (int i = changes.size() - 1; i >= 0; i--) {
            StateChange change = changes.get(i);
            if (change.kind() == StateChange.Kind.EVENT) {
                return change.old().status().equals("PUBLISHED") && change.now().equals(StateChange.State.NONE);
            }
        }
        return false;
    }

    /** Returns its aggregate; {@code null} if there is no trace of it. */
    public @Nullable Aggregate aggregate() {
        if (!stored.isEmpty()) {
            return new Aggregate(stored.get(0).aggregateType(), stored.get(0).aggregateId());
        }
        return intended == null ? null : new Aggregate(intended.aggregateType(), intended.aggregateId());
    }

    /** Returns its aggregate, or one that does not exist. */
    public Aggregate aggregateOrNone() {
        Aggregate known = aggregate();
        return known == null ? Aggregate.NONE : known;
    }

    /** Returns its sequence, 0 if there is no trace of it. */
    public long sequence() {
        if (!stored.isEmpty()) {
            return stored.get(0).sequence();
        }
        return published == null ? 0 : published.sequence();
    }

    /** Returns whether an operator did this to its delivery to a handler. */
    public boolean isOperated(Operation kind, String handler) {
        return operations.stream()
                        .anyMatch((one) -> one.kind() == kind && one.handler().equals(handler))
                || changes.stream()
                        .anyMatch((change) -> change.isOperation(kind.name())
                                && handler.equals(change.subject().handler()));
    }

    void intend(TransactionHistory by, IntendedEvent event) {
        transaction = by;
        intended = event;
        by.add(this);
    }

    void publish(Published fact) {
        published = fact;
    }

    void schedule(long earliest) {
        due = earliest;
    }

    void withdraw(Withdrawal withdrawal) {
        withdrawals = plus(withdrawals, withdrawal);
    }

    void add(ScheduledEvent row) {
        scheduled = row;
    }

    void add(Execution execution) {
        executions = plus(executions, execution);
    }

    void add(Ended end) {
        ends = plus(ends, end);
    }

    void add(StoredEvent row) {
        stored = plus(stored, row);
    }

    void add(LedgerRow row) {
        ledger = plus(ledger, row);
    }

    void add(StoredDelivery row) {
        deliveries = plus(deliveries, row);
    }

    void add(StateChange change) {
        changes = plus(changes, change);
    }

    void add(Operated operation) {
        operations = plus(operations, operation);
    }

    void overtake(Overtaken fact) {
        overtaken = fact;
    }

    void book(String handler) {
        bookings = plus(bookings, handler);
    }

    /** Puts the starts and the ends of executions together. */
    void completeExecutions(UnaryOperator<String> currentHandler, ToLongFunction<String> deathOfProcess) {
        if (executions.size() > 1) {
            executions.sort(
                    Comparator.comparingLong((execution) -> execution.started().at()));
        }
        if (ends.size() > 1) {
            ends.sort(Comparator.comparingLong(Ended::at));
        }
        for (Execution execution : executions) {
            Ended end = takeEnd(execution.started());
            if (end == null) {
                execution.die(deathOfProcess.applyAsLong(execution.started().process()));
            } else {
                execution.end(end);
            }
            execution.rename(currentHandler);
        }
        ends = List.of();
        executions = Collections.unmodifiableList(executions);
    }

    /** The same attempt may run twice in one process, if its lease expired or the database forgot its outcome. */
    private @Nullable Ended takeEnd(Started start) {
        for (Ended end : ends) {
            if (end.at() >= start.at()
                    && end.attempt() == start.attempt()
                    && end.handler().equals(start.handler())
                    && end.process().equals(start.process())) {
                ends.remove(end);
                return end;
            }
        }
        return null;
    }

    private static <T> List<T> plus(List<T> list, T element) {
        List<T> grown = list.isEmpty() ? new ArrayList<>(2) : list;
        grown.add(element);
        return grown;
    }

    @Override
    public String toString() {
        return "event " + id + " (" + aggregate() + "#" + sequence() + ")";
    }
}
