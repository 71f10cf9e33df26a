package dev.outbox.chaos.check;

import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.FinalState.LedgerRow;
import dev.outbox.chaos.history.FinalState.Place;
import dev.outbox.chaos.history.FinalState.StoredDelivery;
import dev.outbox.chaos.history.FinalState.StoredEvent;
import dev.outbox.chaos.history.StateChange;
import dev.outbox.chaos.history.StateChange.Kind;
import dev.outbox.chaos.history.StateChange.State;
import dev.outbox.chaos.history.StateChange.Subject;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** An event of a story, and what happens to it. */
final class StoryEvent {

    private static final String PAYLOAD = "{\"bb\":2, \"a\":1.0}";

    private final Story story;
    private final UUID id;
    private final String aggregate;
    private final long sequence;
    private final long outboxId;
    private State state = State.NONE;
    private State delivery = State.NONE;
    private long claimId;
    private State claim = State.NONE;
    private boolean replay;

    StoryEvent(Story story, UUID id, String aggregate, long sequence) {
        this.story = story;
        this.id = id;
        this.aggregate = aggregate;
        this.sequence = sequence;
        this.outboxId = story.id();
    }

    UUID id() {
        return id;
    }

    String aggregate() {
        return aggregate;
    }

    long sequence() {
        return sequence;
    }

    String transaction() {
        return "t-" + id;
    }

    IntendedEvent intended() {
        return new IntendedEvent(id, "Traded", "account", aggregate, PAYLOAD, Map.of("k", "v"));
    }

    String storedPayload() {
        return "{\"a\": 1.0, \"bb\": 2}";
    }

    StoryEvent isStored() {
        story.ledger.add(new LedgerRow(id, aggregate, sequence, transaction()));
        becomes("p-1", story.id(), "PENDING");
        return this;
    }

    /** Its row leaves the scheduled events, together with its business row. */
    StoryEvent isWithdrawn() {
        story.scheduled.removeIf((row) -> row.eventId().equals(id));
        story.ledger.removeIf((row) -> row.eventId().equals(id));
        return this;
    }

    /** It is due, and comes into the queue. */
    StoryEvent moves() {
        story.scheduled.removeIf((row) -> row.eventId().equals(id));
        return becomes("w-1", story.id(), "PENDING");
    }

    /** Takes it out of the database, with everything that says that it was there. */
    StoryEvent vanishes() {
        story.ledger.removeIf((row) -> row.eventId().equals(id));
        story.stored.removeIf((row) -> row.eventId().equals(id));
        story.deliveries.removeIf((row) -> row.eventId().equals(id));
        story.bookings.removeIf((row) -> row.eventId().equals(id));
        story.changes.removeIf((change) -> id.equals(change.subject().eventId())
                || change.kind() == Kind.CLAIM && change.subject().id() == claimId);
        state = State.NONE;
        claim = State.NONE;
        return this;
    }

    StoryEvent isClaimedBy(String worker) {
        claimId = story.id();
        State old = claim;
        claim = locked("CLAIMED", 0, 0);
        claimChanges(worker, story.id(), old, claim, Set.of(outboxId));
        return this;
    }

    StoryEvent starts(String worker) {
        return starts(worker, 1);
    }

    StoryEvent starts(String worker, int attempt) {
        story.starts(this, worker, attempt, replay);
        return this;
    }

    StoryEvent ends(String worker, Outcome outcome) {
        return ends(worker, 1, outcome);
    }

    StoryEvent ends(String worker, int attempt, Outcome outcome) {
        story.ends(this, worker, attempt, outcome);
        return this;
    }

    /** Claimed, handled and settled. */
    StoryEvent isHandledBy(String worker) {
        return isClaimedBy(worker)
                .starts(worker)
                .ends(worker, Outcome.SUCCEEDED)
                .isSettledBy(worker);
    }

    StoryEvent isSettledBy(String worker) {
        long transaction = story.id();
        becomes(worker, transaction, "PUBLISHED");
        return dropsClaim(worker, transaction);
    }

    StoryEvent dropsClaim(String worker) {
        return dropsClaim(worker, story.id());
    }

    StoryEvent shrinksClaim(String worker, long transaction) {
        claimChanges(worker, transaction, claim, claim, Set.of());
        return this;
    }

    StoryEvent dropsClaim(String worker, long transaction) {
        State old = claim;
        claim = State.NONE;
        claimChanges(worker, transaction, old, claim, null);
        return this;
    }

    /** The first delivery failed. */
    StoryEvent isQueuedBy(String worker, String status, String code) {
        long transaction = story.id();
        deliveryBecomes(worker, transaction, new State(status, 1, 1, 0, code, null, null));
        becomes(worker, transaction, StateChange.isDead(status) ? "DEAD" : "RETRYING");
        return dropsClaim(worker, transaction);
    }

    StoryEvent isClaimedAgainBy(String worker) {
        State old = delivery;
        delivery = locked(delivery.status(), delivery.attempts(), delivery.retries());
        change(worker, story.id(), Kind.LANE, new Subject(0, null, Story.HANDLER, false), old, delivery, null);
        return this;
    }

    StoryEvent failsAgain(String worker, String status, String code) {
        long transaction = story.id();
        deliveryBecomes(
                worker,
                transaction,
                new State(status, delivery.attempts() + 1, delivery.retries() + 1, 0, code, null, null));
        return becomes(worker, transaction, StateChange.isDead(status) ? "DEAD" : "RETRYING");
    }

    /** The delivery succeeded, or was skipped. */
    StoryEvent isDone(String worker, long transaction) {
        deliveryBecomes(worker, transaction, State.NONE);
        return state.status().equals("PUBLISHED") ? this : becomes(worker, transaction, "PUBLISHED");
    }

    StoryEvent isReplayed() {
        replay = true;
        return deliveryBecomes("w-1", story.id(), new State("OPEN"));
    }

    StoryEvent isRetriedBy(String operator) {
        long transaction = story.id();
        operates(operator, transaction, "RETRY", true);
        becomes(operator, transaction, "RETRYING");
        return deliveryBecomes(operator, transaction, new State("OPEN", delivery.attempts(), 0, 0, null, null, null));
    }

    StoryEvent isSkippedBy(String operator) {
        long transaction = story.id();
        operates(operator, transaction, "SKIP", true);
        becomes(operator, transaction, "RETRYING");
        return isDone(operator, transaction);
    }

    StoryEvent isErasedBy(String operator) {
        operates(operator, story.id(), "ERASE", false);
        return losesContent(Map.of());
    }

    /** Before its first delivery, it moves to history. */
    StoryEvent isWithdrawnBy(String operator) {
        long transaction = story.id();
        becomes(operator, transaction, "PUBLISHED");
        operates(operator, transaction, "WITHDRAW", false);
        return this;
    }

    StoryEvent isDeliveredNowBy(String operator) {
        operates(operator, story.id(), "DELIVER_NOW", false);
        return this;
    }

    /** Its business row stays. */
    StoryEvent isCancelledBy(String operator) {
        story.scheduled.removeIf((row) -> row.eventId().equals(id));
        operates(operator, story.id(), "CANCEL_SCHEDULED", false);
        return this;
    }

    StoryEvent losesContent(Map<String, String> headers) {
        StoredEvent row = story.stored.remove(story.stored.size() - 1);
        story.stored.add(new StoredEvent(
                row.place(), id, row.aggregateType(), aggregate, sequence, row.status(), "{}", headers));
        return this;
    }

    private void operates(String operator, long transaction, String action, boolean onDelivery) {
        change(operator, transaction, Kind.OPERATION, subject(onDelivery), State.NONE, new State(action), null);
    }

    StoryEvent becomes(String by, long transaction, String status) {
        State old = state;
        state = new State(status);
        if (status.equals("PUBLISHED")) {
            change(by, transaction, Kind.EVENT, subject(false), old, State.NONE, null);
            change(by, transaction, Kind.EVENT, subject(false), State.NONE, state, null);
        } else {
            change(by, transaction, Kind.EVENT, subject(false), old, state, null);
        }
        story.stored.removeIf((row) -> row.eventId().equals(id));
        story.stored.add(new StoredEvent(
                status.equals("PUBLISHED") ? Place.HISTORY : Place.QUEUE,
                id,
                "account",
                aggregate,
                sequence,
                status,
                storedPayload(),
                Map.of("k", "v")));
        return this;
    }

    StoryEvent deliveryBecomes(String by, long transaction, State next) {
        State old = delivery;
        delivery = next;
        change(by, transaction, Kind.DELIVERY, subject(true), old, next, null);
        story.deliveries.removeIf((row) -> row.eventId().equals(id));
        if (!next.equals(State.NONE)) {
            story.deliveries.add(new StoredDelivery(id, Story.HANDLER, next.status()));
        }
        return this;
    }

    private State locked(String status, int attempts, int retries) {
        return new State(
                status,
                attempts,
                retries,
                0,
                null,
                new UUID(9, story.id()),
                story.tick() + TimeUnit.SECONDS.toNanos(3));
    }

    private Subject subject(boolean ofDelivery) {
        return new Subject(outboxId, id, ofDelivery ? Story.HANDLER : null, replay);
    }

    private void claimChanges(String by, long transaction, State old, State next, Set<Long> events) {
        change(by, transaction, Kind.CLAIM, new Subject(claimId, null, null, false), old, next, events);
    }

    private void change(
            String by, long transaction, Kind kind, Subject subject, State old, State next, Set<Long> claimed) {
        story.changes.add(
                new StateChange(story.id(), story.tick(), transaction, by, kind, subject, old, next, claimed));
    }
}
