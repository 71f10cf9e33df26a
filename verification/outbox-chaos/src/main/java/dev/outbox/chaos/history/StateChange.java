package dev.outbox.chaos.history;

import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A committed change of state that a trigger recorded. {@code at} is the time of the database, expressed as {@link System#nanoTime()}.
 *
 * @param subject the event, delivery or claim that changed
 * @param old the state before, in which {@link State#NONE} is no row
 * @param now the state after; its status says what an operator did, if {@code kind} is an operation
 * @param claimed the events of a claim, by their place in the outbox; {@code null} if they did not change
 */
public record StateChange(
        long id,
        long at,
        long transaction,
        String application,
        Kind kind,
        Subject subject,
        State old,
        State now,
        @Nullable Set<Long> claimed) {

    /** What changed. */
    public enum Kind {
        EVENT,
        DELIVERY,
        /** A lane is leased. */
        LANE,
        CLAIM,
        OPERATION
    }

    /** What changed: the place of the event in the outbox, or the id of the claim; and whether a replay asked for the delivery. */
    public record Subject(
            long id, @Nullable UUID eventId, @Nullable String handler, boolean replay) {}

    /** State of an event, a delivery or a claim. {@code lockedUntil} is expressed as {@link System#nanoTime()}. */
    public record State(
            String status,
            int attempts,
            int retries,
            int crashes,
            @Nullable String errorCode,
            @Nullable UUID token,
            @Nullable Long lockedUntil) {

        /** No row. */
        public static final State NONE = new State("NONE");

        /** A status without anything else. */
        public State(String status) {
            this(status, 0, 0, 0, null, null, null);
        }
    }

    StateChange withHandlers(UnaryOperator<String> renamed) {
        String handler = subject.handler();
        if (handler == null || renamed.apply(handler).equals(handler)) {
            return this;
        }
        Subject other = new Subject(subject.id(), subject.eventId(), renamed.apply(handler), subject.replay());
        return new StateChange(id, at, transaction, application, kind, other, old, now, claimed);
    }

    /** Returns whether an event came into the queue. */
    public boolean isArrival() {
        return kind == Kind.EVENT && old.equals(State.NONE) && now.status().equals("PENDING");
    }

    /** Returns whether a delivery became dead. */
    public boolean isDeath() {
        return kind == Kind.DELIVERY && isDead(now.status()) && !isDead(old.status());
    }

    /** Returns whether this is the status of a dead delivery, which may block its lane. */
    public static boolean isDead(String status) {
        return status.equals("DEAD") || status.equals("BLOCKING");
    }

    /** Returns whether an operator did this. */
    public boolean isOperation(String action) {
        return kind == Kind.OPERATION && now.status().equals(action);
    }
}
