package dev.outbox.chaos.model;

import java.util.Arrays;

/** The memory of a worker: what it has claimed, and the outcomes so far. A view of a part of a state. */
final class Worker {

    private static final int WORK = 0;
    private static final int EVENTS = 1;
    private static final int HANDLER = 2;
    private static final int BLOCKED = 3;
    private static final int OUTCOMES = 4;
    private static final int RUNNING = OUTCOMES + State.HANDLERS;
    private static final int FLAGS = RUNNING + 1;
    private static final int NOTE = FLAGS + 1;
    private static final int CLAIM_ID = NOTE + 1;
    private static final int PASSES = CLAIM_ID + 1;
    private static final int DEAD = PASSES + 1;
    private static final int AWAITED = DEAD + 1;
    private static final int KEPT = AWAITED + 1;
    static final int SIZE = KEPT + 1;

    private static final int TRUSTED = 1;
    private static final int STALE = 2;
    private static final int LANE_IS_NOTED = 4;

    private static final Work[] WORKS = Work.values();
    private static final Outcome[] OUTCOME_VALUES = Outcome.values();

    private final byte[] bytes;
    private final int offset;
    private final int number;

    /** What a worker is doing. */
    enum Work {
        NOTHING,
        /** It has begun to advance the claim window. */
        ADVANCING,
        /** It has looked for events without the lock of the stream. */
        CLAIMING,
        /** It has claimed a batch of events. */
        BATCH,
        /** It has found a lane, and not locked it yet. */
        LOOKING,
        /** It has claimed deliveries of a lane. */
        LANE
    }

    /** Outcome of an event at a handler. */
    enum Outcome {
        NONE,
        SUCCEEDED,
        FAILED,
        /** The handler was not invoked, because its lane has earlier deliveries, or too many leases expired under the delivery. */
        NOT_INVOKED
    }

    Worker(byte[] bytes, int offset, int number) {
        this.bytes = bytes;
        this.offset = offset;
        this.number = number;
    }

    String name() {
        return "worker " + (number + 1);
    }

    /** The random token of its claim: it has one claim at a time. */
    int token() {
        return number + 1;
    }

    Work work() {
        return WORKS[bytes[offset + WORK]];
    }

    boolean isIdle() {
        return work() == Work.NOTHING;
    }

    boolean hasClaim() {
        return work() == Work.BATCH || work() == Work.LANE;
    }

    /** Notes a claim, which the database has confirmed by making it. */
    void claim(Work work, int eventSet, int handler) {
        clear();
        begin(work, eventSet);
        bytes[offset + HANDLER] = (byte) handler;
        trust(true);
    }

    /** Notes a lane, and the deliveries that its claim would take. */
    void look(int deliveries, int handler) {
        begin(Work.LOOKING, deliveries);
        bytes[offset + HANDLER] = (byte) handler;
    }

    /** Notes the first step of a transaction that takes two. */
    void begin(Work work, int note) {
        bytes[offset + WORK] = (byte) work.ordinal();
        bytes[offset + EVENTS] = (byte) note;
    }

    void clear() {
        Arrays.fill(bytes, offset, offset + SIZE, (byte) 0);
    }

    /** The events that it has claimed and not settled. */
    int events() {
        return bytes[offset + EVENTS];
    }

    boolean hasEvent(int event) {
        return (events() >> event & 1) != 0;
    }

    void removeEvents(int eventSet) {
        bytes[offset + EVENTS] &= (byte) ~eventSet;
        bytes[offset + DEAD] &= (byte) ~eventSet;
        for (int event = 0; event < State.EVENTS; event++) {
            for (int handler = 0; handler < State.HANDLERS && (eventSet >> event & 1) != 0; handler++) {
                setOutcome(event, handler, Outcome.NONE);
            }
        }
    }

    /** Removes events, but no outcomes. */
    void dropEvents(int eventSet) {
        bytes[offset + EVENTS] &= (byte) ~eventSet;
    }

    /** The handler of its lane. */
    int handler() {
        return bytes[offset + HANDLER];
    }

    /** Whether the lane of a handler for an aggregate had deliveries when the batch was claimed, or since a failure in the batch. */
    boolean isBlocked(int aggregate, int handler) {
        return (bytes[offset + BLOCKED] >> aggregate * State.HANDLERS + handler & 1) != 0;
    }

    void block(int aggregate, int handler) {
        bytes[offset + BLOCKED] |= (byte) (1 << aggregate * State.HANDLERS + handler);
    }

    Outcome outcome(int event, int handler) {
        return OUTCOME_VALUES[bytes[offset + OUTCOMES + handler] >> 2 * event & 3];
    }

    void setOutcome(int event, int handler, Outcome outcome) {
        int at = offset + OUTCOMES + handler;
        bytes[at] = (byte) (bytes[at] & ~(3 << 2 * event) | outcome.ordinal() << 2 * event);
    }

    /** The deliveries, as bits, that were handed to their handlers and whose outcomes come later. */
    int awaited() {
        return bytes[offset + AWAITED] & 0xFF;
    }

    boolean awaits(int event, int handler) {
        return (awaited() & Properties.bit(event, handler)) != 0;
    }

    void await(int event, int handler, boolean awaited) {
        set(AWAITED, event, handler, awaited);
    }

    /** The deliveries, as bits, of events that it has settled, and whose lanes its claim of events keeps until their outcomes are settled. */
    int kept() {
        return bytes[offset + KEPT] & 0xFF;
    }

    /** The events that it has decided to settle by keeping lanes, and whose settlement has not been answered. */
    int eventsToKeep() {
        return LaneSettlements.events(kept()) & events();
    }

    boolean keeps(int event, int handler) {
        return (kept() & Properties.bit(event, handler)) != 0;
    }

    void keep(int event, int handler, boolean kept) {
        set(KEPT, event, handler, kept);
    }

    /** Forgets deliveries that it has kept, with their outcomes. */
    void dropKept(int deliveries) {
        for (int event = 0; event < State.EVENTS; event++) {
            for (int handler = 0; handler < State.HANDLERS; handler++) {
                if ((deliveries & Properties.bit(event, handler)) != 0) {
                    keep(event, handler, false);
                    setOutcome(event, handler, Outcome.NONE);
                }
            }
        }
    }

    private void set(int field, int event, int handler, boolean value) {
        int bit = Properties.bit(event, handler);
        bytes[offset + field] = (byte) (value ? bytes[offset + field] | bit : bytes[offset + field] & ~bit);
    }

    /** Whether the attempt of an event of its lane that failed was the last one, as far as it knows from its claim. */
    boolean gaveUp(int event) {
        return (bytes[offset + DEAD] >> event & 1) != 0;
    }

    void giveUp(int event) {
        bytes[offset + DEAD] |= (byte) (1 << event);
    }

    boolean isRunning() {
        return bytes[offset + RUNNING] != 0;
    }

    int runningEvent() {
        return (bytes[offset + RUNNING] - 1) / State.HANDLERS;
    }

    int runningHandler() {
        return (bytes[offset + RUNNING] - 1) % State.HANDLERS;
    }

    void run(int event, int handler) {
        bytes[offset + RUNNING] = (byte) (event * State.HANDLERS + handler + 1);
    }

    void stopRunning() {
        bytes[offset + RUNNING] = 0;
    }

    /** Whether the database has just confirmed the claim. */
    boolean isTrusted() {
        return (bytes[offset + FLAGS] & TRUSTED) != 0;
    }

    void trust(boolean trusted) {
        flag(TRUSTED, trusted);
    }

    /** Whether a replay has put deliveries into a lane since the claim was made, which need not wait for them. */
    boolean passesReplay(int lane) {
        return (bytes[offset + PASSES] >> lane & 1) != 0;
    }

    void passReplay(int lane) {
        bytes[offset + PASSES] |= (byte) (1 << lane);
    }

    /** Whether the database has crashed since the claim was made. */
    boolean isStale() {
        return (bytes[offset + FLAGS] & STALE) != 0;
    }

    void makeStale() {
        flag(STALE, true);
    }

    private void flag(int flag, boolean value) {
        bytes[offset + FLAGS] = (byte) (value ? bytes[offset + FLAGS] | flag : bytes[offset + FLAGS] & ~flag);
    }

    /** The id of its claim, where claims are identified by it. */
    int claimId() {
        return bytes[offset + CLAIM_ID];
    }

    void setClaimId(int id) {
        bytes[offset + CLAIM_ID] = (byte) id;
    }

    /** The lanes that had a row when its settlement looked, or -1 if it has not looked yet. Only without the lock of the lanes. */
    int notedLanes() {
        return (bytes[offset + FLAGS] & LANE_IS_NOTED) == 0 ? -1 : bytes[offset + NOTE];
    }

    void noteLanes(int lanes) {
        flag(LANE_IS_NOTED, true);
        bytes[offset + NOTE] = (byte) lanes;
    }

    void forgetLanes() {
        flag(LANE_IS_NOTED, false);
        bytes[offset + NOTE] = 0;
    }

    /** Compares what workers have in memory. */
    int compareTo(Worker other) {
        return Arrays.compare(bytes, offset, offset + SIZE, other.bytes, other.offset, other.offset + SIZE);
    }
}
