package dev.outbox.chaos.check;

import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Intended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Overtaken;
import dev.outbox.chaos.history.Fact.Phase;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.Fact.Scheduled;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.Fact.Subscribed;
import dev.outbox.chaos.history.Fact.Withdrawn;
import dev.outbox.chaos.history.FinalState;
import dev.outbox.chaos.history.FinalState.Booking;
import dev.outbox.chaos.history.FinalState.LedgerRow;
import dev.outbox.chaos.history.FinalState.ScheduledEvent;
import dev.outbox.chaos.history.FinalState.StoredDelivery;
import dev.outbox.chaos.history.FinalState.StoredEvent;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import dev.outbox.chaos.history.StateChange.State;
import dev.outbox.chaos.history.StateChange.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Makes histories by hand: each step takes a millisecond. The handler {@code mail} wants every event; {@code w-1} and {@code w-2} have it. */
final class Story {

    static final String HANDLER = "mail";
    static final CheckSettings SETTINGS = CheckSettings.defaults()
            .withLease(Duration.ofSeconds(3))
            .withBacklogDeadline(Duration.ofSeconds(10))
            .withMaxAttempts(3);

    private static final String INBOX = "kafka-inbox-shop";

    final List<Fact> facts = new ArrayList<>();
    final List<StoredEvent> stored = new ArrayList<>();
    final List<ScheduledEvent> scheduled = new ArrayList<>();
    final List<StoredDelivery> deliveries = new ArrayList<>();
    final List<LedgerRow> ledger = new ArrayList<>();
    final List<Booking> bookings = new ArrayList<>();
    final List<StateChange> changes = new ArrayList<>();
    private long now = TimeUnit.SECONDS.toNanos(1000);
    private long ids;

    Story() {
        this(false);
    }

    Story(boolean deduplicating) {
        for (String worker : List.of("w-1", "w-2")) {
            facts.add(new Subscribed(tick(), worker, HANDLER, Set.of("*"), Set.of(), deduplicating));
        }
    }

    /** A worker starts that has the handler. */
    void registers(String worker) {
        registers(worker, "*");
    }

    /** A worker starts whose handler selects one event type. */
    void registers(String worker, String eventType) {
        facts.add(new Subscribed(tick(), worker, HANDLER, Set.of(eventType), Set.of(), false));
    }

    /** A process stops in order. */
    Story stops(String process) {
        return begins(Kind.STOP, process).ends(Kind.STOP, process);
    }

    long tick() {
        now += TimeUnit.MILLISECONDS.toNanos(1);
        return now;
    }

    long id() {
        return ++ids;
    }

    Story pass(Duration time) {
        now += time.toNanos();
        return this;
    }

    /** A committed event of an aggregate. */
    StoryEvent commits(String aggregate, long sequence) {
        StoryEvent event = intends(aggregate, sequence);
        event.isStored();
        completes(event, Commit.COMMITTED);
        return event;
    }

    /** An event that a publisher has published and not committed. */
    StoryEvent intends(String aggregate, long sequence) {
        StoryEvent event = new StoryEvent(this, new UUID(7, id()), aggregate, sequence);
        facts.add(new Intended(tick(), "p-1", event.transaction(), List.of(event.intended())));
        facts.add(new Published(tick(), "p-1", event.transaction(), event.id(), sequence));
        return event;
    }

    /** A committed event that is due a second later, and has this sequence when it moves. */
    StoryEvent schedules(String aggregate, long sequence) {
        StoryEvent event = schedulesAndLeavesOpen(aggregate, sequence);
        completes(event, Commit.COMMITTED);
        return event;
    }

    /** A committed event that replaces a scheduled one. */
    StoryEvent replaces(StoryEvent event) {
        StoryEvent replacement = replacesAndLeavesOpen(event, event.sequence());
        event.isWithdrawn();
        completes(replacement, Commit.COMMITTED);
        return replacement;
    }

    /** It is unknown whether the transaction has committed: the history continues with one of the two events, and withdraws the other. */
    StoryEvent replacesAndLeavesOpen(StoryEvent event, long sequence) {
        StoryEvent replacement = schedulesAndLeavesOpen(event.aggregate(), sequence);
        facts.add(new Withdrawn(tick(), "p-1", replacement.transaction(), event.id(), replacement.id()));
        return replacement;
    }

    /** A committed transaction cancels a scheduled event. */
    void cancels(StoryEvent event) {
        String transaction = "t-" + id();
        facts.add(new Intended(tick(), "p-1", transaction, List.of()));
        facts.add(new Withdrawn(tick(), "p-1", transaction, event.id(), null));
        event.isWithdrawn();
        facts.add(new Completed(tick(), "p-1", transaction, Commit.COMMITTED));
    }

    private StoryEvent schedulesAndLeavesOpen(String aggregate, long sequence) {
        StoryEvent event = new StoryEvent(this, new UUID(7, id()), aggregate, sequence);
        facts.add(new Intended(tick(), "p-1", event.transaction(), List.of()));
        long due = now + TimeUnit.SECONDS.toNanos(1);
        facts.add(new Scheduled(tick(), "p-1", event.transaction(), event.intended(), due / 1000));
        scheduled.add(new ScheduledEvent(event.id(), due, false));
        ledger.add(new LedgerRow(event.id(), aggregate, 0, event.transaction()));
        return event;
    }

    void completes(StoryEvent event, Commit outcome) {
        facts.add(new Completed(tick(), "p-1", event.transaction(), outcome));
    }

    /** Events of one transaction, of which the publisher did not learn the outcome. */
    List<StoryEvent> leavesOpen(String... aggregates) {
        List<StoryEvent> events = new ArrayList<>();
        List<IntendedEvent> intended = new ArrayList<>();
        String transaction = "t-" + id();
        for (String aggregate : aggregates) {
            StoryEvent event = new StoryEvent(this, new UUID(7, id()), aggregate, 1);
            events.add(event);
            intended.add(event.intended());
        }
        facts.add(new Intended(tick(), "p-1", transaction, intended));
        return events;
    }

    /** A committed event that a worker handled at once. */
    StoryEvent delivers(String worker, String aggregate, long sequence) {
        return commits(aggregate, sequence).isHandledBy(worker);
    }

    /** A committed event whose first attempt failed. */
    StoryEvent failsOnce() {
        return commits("a", 1)
                .isClaimedBy("w-1")
                .starts("w-1")
                .ends("w-1", Outcome.FAILED)
                .isQueuedBy("w-1", "OPEN", "IOException");
    }

    /** A committed event that a worker has claimed, and handled. */
    StoryEvent succeedsOnce() {
        return commits("a", 1).isClaimedBy("w-1").starts("w-1").ends("w-1", Outcome.SUCCEEDED);
    }

    Story begins(Kind kind, String target) {
        facts.add(Fault.begun(tick(), kind, target, ""));
        return this;
    }

    Story ends(Kind kind, String target) {
        facts.add(Fault.ended(tick(), kind, target, ""));
        return this;
    }

    /** A fault of the database that forgets what was committed after a moment. */
    Story forgets(Kind kind, long durableUntil) {
        facts.add(new Fault(tick(), kind, "server", Phase.BEGUN, durableUntil, ""));
        return ends(kind, "server");
    }

    void starts(StoryEvent event, String worker, int attempt, boolean replayed) {
        facts.add(new Started(
                tick(),
                worker,
                HANDLER,
                event.id(),
                "account",
                event.aggregate(),
                event.sequence(),
                attempt,
                event.storedPayload(),
                Map.of("k", "v"),
                replayed));
    }

    void ends(StoryEvent event, String worker, int attempt, Outcome outcome) {
        facts.add(new Ended(tick(), worker, HANDLER, event.id(), attempt, outcome));
    }

    /** Retention removes records that the inbox has not read, in front of others. */
    Story overtakes(Set<StoryEvent> removed, Set<StoryEvent> waiting) {
        facts.add(new Overtaken(tick(), INBOX, ids(removed), ids(waiting)));
        return this;
    }

    private static Set<UUID> ids(Set<StoryEvent> events) {
        return events.stream().map(StoryEvent::id).collect(Collectors.toSet());
    }

    /** An operator decides where the inbox continues. */
    void resumesInbox(String action) {
        Subject inbox = new Subject(0, null, INBOX, false);
        changes.add(new StateChange(
                id(), tick(), id(), "p-1", StateChange.Kind.OPERATION, inbox, State.NONE, new State(action), null));
    }

    History history() {
        return History.of(facts, new FinalState(stored, scheduled, deliveries, ledger, bookings, changes, 0));
    }

    Report check() {
        return new Checker(SETTINGS).check(history());
    }

    /** Returns the names of the broken rules. */
    List<String> brokenRules() {
        return check().violations().stream().map(Violation::rule).distinct().toList();
    }
}
