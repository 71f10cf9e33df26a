package dev.outbox.operations;

import dev.outbox.operations.OutboxOverview.Call;
import org.jspecify.annotations.Nullable;

/**
 * What a lane waits for. A lane is the ordered backlog of one handler for one aggregate. Counts stop at
 * {@link Count#MOST}.
 *
 * @param handlerId the handler: the id that is stored with the deliveries; {@code null} if no delivery is open and an event awaits its first delivery
 * @param aggregateType the aggregate type
 * @param aggregateId the aggregate id
 * @param cause what the lane waits for
 * @param head the delivery that the others wait for; {@code null} if there is none
 * @param counts how many events and deliveries wait
 * @param front what is in front of a lane whose cause is {@link Cause#PENDING}, {@link Cause#DUE} or {@link Cause#RUNNING}
 */
public record LaneReport(
        @Nullable String handlerId,
        String aggregateType,
        String aggregateId,
        Cause cause,
        @Nullable Delivery head,
        Counts counts,
        Front front) {

    /** {@return what the lane waits for and which call is in front of it, in sentences} */
    public String explanation() {
        Call call = front.call();
        String waits = cause != Cause.PENDING
                ? cause.explanation()
                : "It awaits its first delivery"
                        + (front.older().value() == 0
                                ? " and is the first in its stream."
                                : " behind " + front.older()
                                        + (front.older().value() == 1 ? " older event" : " older events")
                                        + " of its stream.");
        return waits
                + (call == null
                        ? ""
                        : " " + front.instance() + " has handled " + call.handlerId() + " for "
                                + call.running().toSeconds() + " s.");
    }

    /** {@return what an operator can do, as a sentence} */
    public String remedy() {
        Call call = front.call();
        if (call == null || (cause == Cause.RUNNING && call.state() == Call.State.RUNNING)) {
            return cause.remedy();
        }
        return call.state() == Call.State.STUCK
                ? "Restart " + front.instance() + " unless the call ends, and give the handler a timeout."
                : "Find out why " + call.handlerId()
                        + " takes so long. More concurrency of the stream, or another instance, shortens the wait.";
    }

    /** What a lane waits for, the first that applies. */
    public enum Cause {
        /** Its stream is paused. */
        STREAM_PAUSED(
                "An operator paused the stream, so nothing of it is delivered.",
                "Resume the stream when it may continue."),
        /** The handler is paused. */
        HANDLER_PAUSED(
                "An operator paused the handler, so its deliveries wait.", "Resume the handler when it may continue."),
        /** A worker has leased the lane or, if it has no delivery, a claim holds the aggregate. */
        RUNNING(
                "A worker has leased the lane and attempts its deliveries.",
                "Nothing, unless it runs for longer than you expect: then look at the worker."),
        /** The lease of the worker has expired and no other worker has taken over yet. */
        LEASE_EXPIRED(
                "The worker crashed or was suspended during an attempt.",
                "Nothing: another worker takes over at its next claim."),
        /** The first delivery is dead and blocks its lane. */
        BLOCKED_BY_DEAD_LETTER(
                "The handler gave up, and its policy is to block the lane.",
                "Correct the cause, then retry the dead letter, or skip it."),
        /** No instance that has the handler is running. */
        HANDLER_ABSENT(
                "No running instance has the handler.",
                "Start an instance that has it, or give the new handler the old id as an alias."),
        /** The circuit of the handler is open. */
        CIRCUIT_OPEN(
                "The circuit of the handler is open, because it failed for several aggregates in a row.",
                "Correct the cause: the circuit closes by itself when an attempt succeeds."),
        /** The head failed and waits for its next attempt. */
        BACKING_OFF("The handler failed, and the next attempt is not due yet.", "Correct the cause, or retry it now."),
        /** The head is due and is attempted at the next claim. */
        DUE(
                "It is due, and a worker attempts it at its next claim.",
                "Nothing, unless the stream has no instance that polls it."),
        /** An event of the aggregate awaits its first delivery. */
        PENDING(
                "It awaits its first delivery behind older events of its stream.",
                "Nothing while the older events get fewer. Otherwise look for a slow handler, or for an instance that polls the stream."),
        /** Only dead letters are left, and they block nothing. */
        DEAD_LETTERS_ONLY(
                "Nothing waits; the lane has dead letters only.",
                "Correct the cause, then retry the dead letters, or skip them.");

        private final String explanation;
        private final String remedy;

        Cause(String explanation, String remedy) {
            this.explanation = explanation;
            this.remedy = remedy;
        }

        /** {@return the cause, as a sentence} */
        public String explanation() {
            return explanation;
        }

        /** {@return what an operator can do, as a sentence} */
        public String remedy() {
            return remedy;
        }
    }

    /**
     * How many events and deliveries wait.
     *
     * @param waiting deliveries that wait behind the head
     * @param dead dead letters of the lane
     * @param pending events of the aggregate that await their first delivery
     */
    public record Counts(Count waiting, Count dead, Count pending) {}

    /**
     * What is in front of a lane.
     *
     * @param older the events of its stream before its first pending one, if that waits for its first delivery
     * @param instance the instance of the call
     * @param call the call of the aggregate's event that runs for a second or more or, if there is none, the longest call in the stream;
     *     {@code null} if no call lasts
     */
    public record Front(
            Count older,
            @Nullable String instance,
            @Nullable Call call) {

        /** Nothing is in front. */
        public static final Front NONE = new Front(Count.NONE, null, null);
    }
}
