package dev.outbox.chaos.history;

import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Overtaken;
import dev.outbox.chaos.history.Fact.Subscribed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** All facts of a run, and what its database holds when it is over. */
public final class History {

    /** How long after its last renewal a subscription of a running handler expires. */
    private static final long SUBSCRIPTION_EXPIRY = TimeUnit.MINUTES.toNanos(15);

    private static final String EARLIEST = "RESUME_INBOX_EARLIEST";
    private static final String LATEST = "RESUME_INBOX_LATEST";

    private final Map<UUID, EventHistory> events;
    private final Collection<TransactionHistory> transactions;
    private final Subscriptions subscriptions;
    private final Faults faults;
    private final FinalState state;
    private final List<StateChange> resumptions;
    private final Set<String> processes;

    History(
            Map<UUID, EventHistory> events,
            Collection<TransactionHistory> transactions,
            Subscriptions subscriptions,
            Faults faults,
            FinalState state,
            Set<String> processes) {
        this.events = events;
        this.transactions = transactions;
        this.subscriptions = subscriptions;
        this.faults = faults;
        this.state = state;
        this.processes = processes;
        this.resumptions = state.changes().stream()
                .filter((change) -> change.isOperation(EARLIEST) || change.isOperation(LATEST))
                .toList();
    }

    /** Reads the facts in a directory, and the final state of the database. */
    public static History read(Path directory, DataSource dataSource) {
        HistoryBuilder builder = new HistoryBuilder();
        FactReader.files(directory).forEach((file) -> FactReader.forEach(file, builder::add));
        return builder.build(FinalStateReader.read(dataSource));
    }

    /** Makes a history of facts in any order, and the final state of the database. */
    public static History of(List<Fact> facts, DataSource dataSource) {
        return of(facts, FinalStateReader.read(dataSource));
    }

    /** Makes a history of facts in any order. */
    public static History of(List<Fact> facts, FinalState state) {
        HistoryBuilder builder = new HistoryBuilder();
        facts.forEach(builder::add);
        return builder.build(state);
    }

    /** Returns every event that a fact or the database mentions. */
    public Collection<EventHistory> events() {
        return events.values();
    }

    /** Returns the transactions of publishers. */
    public Collection<TransactionHistory> transactions() {
        return transactions;
    }

    /** Returns which handlers must get which events. */
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    /** Returns what the nemesis did. */
    public Faults faults() {
        return faults;
    }

    /**
     * Returns whether no process selected an event for a handler at a moment, and none had for so long that the subscription had expired.
     */
    public boolean isExpired(EventHistory event, String handler, long moment) {
        OptionalLong lastSelected = subscriptions
                .of(event, handler)
                .filter((fact) -> fact.at() <= moment)
                .mapToLong((fact) -> faults.deathOf(fact.process()))
                .max();
        return lastSelected.isPresent()
                && lastSelected.getAsLong() <= moment
                && (moment - lastSelected.getAsLong() >= SUBSCRIPTION_EXPIRY
                        || faults.matching((window) -> window.kind() == Kind.SUBSCRIPTION_AGED)
                                .anyMatch((window) -> window.overlaps(lastSelected.getAsLong(), moment)));
    }

    /** Returns whether Kafka lost the record of an event before an inbox read it, and an operator decided to continue behind it. */
    public boolean isGivenUp(EventHistory event) {
        Overtaken overtaken = event.overtaken();
        return overtaken != null
                && resumptions.stream()
                        .filter((change) -> change.at() > overtaken.at()
                                && overtaken.handler().equals(change.subject().handler()))
                        .anyMatch((change) -> overtaken.removed().contains(event.id()) || change.isOperation(LATEST));
    }

    /** Returns what the database holds. */
    public FinalState state() {
        return state;
    }

    /** Returns whether a process of this name wrote facts. */
    public boolean isProcess(String name) {
        return processes.contains(name);
    }

    /** Returns the events that survived, by aggregate and in the order of their sequences. */
    public Map<Aggregate, List<EventHistory>> aggregates() {
        Map<Aggregate, List<EventHistory>> aggregates = new HashMap<>();
        for (EventHistory event : events()) {
            Aggregate aggregate = event.aggregate();
            if (event.survived() && aggregate != null) {
                aggregates
                        .computeIfAbsent(aggregate, (key) -> new ArrayList<>())
                        .add(event);
            }
        }
        aggregates.values().forEach((list) -> list.sort(Comparator.comparingLong(EventHistory::sequence)));
        return aggregates;
    }

    /** Returns the executions of each lane, in the order of their starts. */
    public Map<Lane, List<Execution>> lanes() {
        Map<Lane, List<Execution>> lanes = new HashMap<>();
        for (EventHistory event : events()) {
            for (Execution execution : event.executions()) {
                Fact.Started started = execution.started();
                Aggregate aggregate = new Aggregate(started.aggregateType(), started.aggregateId());
                lanes.computeIfAbsent(new Lane(started.handler(), aggregate), (key) -> new ArrayList<>())
                        .add(execution);
            }
        }
        lanes.values()
                .forEach((list) -> list.sort(
                        Comparator.comparingLong((one) -> one.started().at())));
        return lanes;
    }

    /** The events of one aggregate, for one handler. */
    public record Lane(String handler, Aggregate aggregate) {}

    /** Which handlers must get which events. */
    public static final class Subscriptions {

        private final List<Subscribed> facts;
        private final Map<String, String> aliases = new HashMap<>();

        Subscriptions(List<Subscribed> facts) {
            this.facts = facts;
            facts.forEach((fact) -> fact.aliases().forEach((alias) -> aliases.put(alias, fact.handler())));
        }

        /** Returns the id that a handler has now. */
        public String current(String handler) {
            String id = handler;
            for (String next = aliases.get(id); next != null && !next.equals(handler); next = aliases.get(id)) {
                id = next;
            }
            return id;
        }

        /** Returns the handlers that were registered for the type of an event when its publisher began its transaction. */
        public Set<String> of(EventHistory event) {
            Fact.IntendedEvent intended = event.intended();
            TransactionHistory transaction = event.transaction();
            if (intended == null || transaction == null) {
                return Set.of();
            }
            Set<String> handlers = new TreeSet<>();
            facts.stream()
                    .filter((fact) -> fact.at() < transaction.intendedAt() && wants(fact, intended.eventType()))
                    .forEach((fact) -> handlers.add(current(fact.handler())));
            return handlers;
        }

        /** Returns by which processes a handler was registered for the type of an event, at any time. */
        Stream<Subscribed> of(EventHistory event, String handler) {
            Fact.IntendedEvent intended = event.intended();
            return intended == null
                    ? Stream.empty()
                    : facts.stream()
                            .filter((fact) ->
                                    current(fact.handler()).equals(handler) && wants(fact, intended.eventType()));
        }

        /** Returns whether a process registers a handler after a moment. */
        public boolean isRegisteredAfter(long moment, String handler) {
            return facts.stream()
                    .anyMatch((fact) ->
                            fact.at() > moment && current(fact.handler()).equals(handler));
        }

        private static boolean wants(Subscribed fact, String type) {
            return fact.eventTypes().contains(type) || fact.eventTypes().contains("*");
        }

        /** Returns the handlers that have their effects once. */
        public Stream<String> deduplicating() {
            return facts.stream()
                    .filter(Subscribed::deduplicating)
                    .map((fact) -> current(fact.handler()))
                    .distinct();
        }
    }
}
