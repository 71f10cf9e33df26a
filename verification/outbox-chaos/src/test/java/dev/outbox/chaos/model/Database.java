package dev.outbox.chaos.model;

import java.util.stream.IntStream;

/** The tables: events, deliveries, lanes, claims and the claim window of the stream. A view of a part of a state. */
final class Database {

    /** A token that no worker has any more. */
    static final int ORPHAN = 7;

    /** A token of a claim that does not exist any more. */
    static final int DANGLING = 6;

    static final int CLAIMS = 4;

    private static final int EXPIRED = 8;
    private static final int OUTDATED = 16;
    private static final int TOKEN = 7;

    private static final int STATUS = 0;
    private static final int ID = STATUS + State.EVENTS;
    private static final int DELIVERY = ID + State.EVENTS;
    private static final int LANE_TOKEN = DELIVERY + State.EVENTS * State.HANDLERS;
    private static final int LANE_FIRST = LANE_TOKEN + State.LANES;
    private static final int LANE_HELD = LANE_FIRST + State.LANES;
    private static final int LANE_CRASHES = LANE_HELD + State.LANES;
    private static final int CLAIM = LANE_CRASHES + State.LANES;
    private static final int FIELDS_OF_CLAIM = 4;
    private static final int STREAM = CLAIM + CLAIMS * FIELDS_OF_CLAIM;
    private static final int CLAIM_SEQUENCE = STREAM + Field.values().length;
    static final int SIZE = CLAIM_SEQUENCE + 1;

    private static final EventStatus[] EVENT_STATUSES = EventStatus.values();
    private static final DeliveryStatus[] DELIVERY_STATUSES = DeliveryStatus.values();

    /** Where tokens are. */
    private static final int[] TOKENS = IntStream.concat(
                    IntStream.range(LANE_TOKEN, LANE_FIRST),
                    IntStream.range(0, CLAIMS).map((row) -> CLAIM + row * FIELDS_OF_CLAIM + 1))
            .toArray();

    private final byte[] bytes;
    private final int offset;

    /** A value in the row of the stream, or one that the checker notes beside it. */
    enum Field {
        LAST_ID,
        LOW_WATER_MARK,
        SAFE_MARK,
        NEXT_MARK,
        OPEN_WRITERS,
        /** The publishers before the horizon that are still running. */
        BEFORE_HORIZON,
        /** The publishers before the next horizon that are still running. */
        BEFORE_NEXT_HORIZON,
        NEXT_SAFE_MARK,
        /** The publishers before the next safe horizon that are still running. */
        BEFORE_NEXT_SAFE_HORIZON,
        /** Whether a claim was made since the last crash. */
        INCARNATION_BEGUN,
        /** The deliveries that an operator retried after a later event had reached the handler. */
        OVERTAKEN,
        /** The deliveries that a replay has added. */
        REPLAYED,
        /** The deliveries that were alone under a lease that has expired. */
        CRASHED_ALONE
    }

    Database(byte[] bytes, int offset) {
        this.bytes = bytes;
        this.offset = offset;
    }

    EventStatus status(int event) {
        return EVENT_STATUSES[bytes[offset + STATUS + event]];
    }

    void setStatus(int event, EventStatus status) {
        bytes[offset + STATUS + event] = (byte) status.ordinal();
    }

    boolean isPending(int event) {
        return status(event) == EventStatus.PENDING;
    }

    /** Whether its publisher has committed. */
    boolean isCommitted(int event) {
        EventStatus status = status(event);
        return status == EventStatus.PENDING || status == EventStatus.DISPATCHED;
    }

    /** Whether its publisher is a running transaction that has an id. */
    boolean isRunning(int event) {
        EventStatus status = status(event);
        return status == EventStatus.WRITING || status == EventStatus.DRAWN;
    }

    int id(int event) {
        return bytes[offset + ID + event];
    }

    void drawId(int event) {
        set(Field.LAST_ID, get(Field.LAST_ID) + 1);
        bytes[offset + ID + event] = (byte) get(Field.LAST_ID);
    }

    DeliveryStatus delivery(int event, int handler) {
        return DELIVERY_STATUSES[bytes[deliveryAt(event, handler)] & 7];
    }

    void setDelivery(int event, int handler, DeliveryStatus status) {
        int at = deliveryAt(event, handler);
        bytes[at] = (byte) (bytes[at] & ~7 | status.ordinal());
    }

    int failures(int event, int handler) {
        return bytes[deliveryAt(event, handler)] >> 3;
    }

    void setFailures(int event, int handler, int failures) {
        int at = deliveryAt(event, handler);
        bytes[at] = (byte) (bytes[at] & 7 | failures << 3);
    }

    private int deliveryAt(int event, int handler) {
        return offset + DELIVERY + event * State.HANDLERS + handler;
    }

    /** The first delivery of a lane as its row has it; -1 if there is no row. */
    int laneFirst(int lane) {
        return bytes[offset + LANE_FIRST + lane] - 1;
    }

    boolean hasLane(int lane) {
        return laneFirst(lane) >= 0;
    }

    void setLaneFirst(int lane, int first) {
        bytes[offset + LANE_FIRST + lane] = (byte) (first + 1);
    }

    void deleteLane(int lane) {
        for (int field = LANE_TOKEN; field < CLAIM; field += State.LANES) {
            bytes[offset + field + lane] = 0;
        }
    }

    /** The token of the worker that has a lane leased; 0 if none has. */
    int laneToken(int lane) {
        return bytes[offset + LANE_TOKEN + lane] & TOKEN;
    }

    /** The token with the marks that its lease has expired, and that the database has crashed since. */
    int laneLock(int lane) {
        return bytes[offset + LANE_TOKEN + lane];
    }

    boolean isLaneLive(int lane) {
        int token = bytes[offset + LANE_TOKEN + lane];
        return token != 0 && (token & EXPIRED) == 0;
    }

    /** Whether the database has crashed since the lane was claimed. */
    boolean isLaneOutdated(int lane) {
        return (bytes[offset + LANE_TOKEN + lane] & OUTDATED) != 0;
    }

    /** Takes an expired claim from its worker. */
    void voidLane(int lane) {
        bytes[offset + LANE_TOKEN + lane] = (byte) (bytes[offset + LANE_TOKEN + lane] & ~TOKEN | ORPHAN);
    }

    /** The deliveries that the worker of a lane has claimed, which the checker notes beside the row. */
    int laneHeld(int lane) {
        return bytes[offset + LANE_HELD + lane];
    }

    void lease(int lane, int token, int deliveries) {
        bytes[offset + LANE_TOKEN + lane] = (byte) token;
        bytes[offset + LANE_HELD + lane] = (byte) deliveries;
    }

    int crashes(int lane) {
        return bytes[offset + LANE_CRASHES + lane];
    }

    void setCrashes(int lane, int crashes) {
        bytes[offset + LANE_CRASHES + lane] = (byte) crashes;
    }

    boolean has(Field field, int event, int handler) {
        return (get(field) & Properties.bit(event, handler)) != 0;
    }

    void set(Field field, int event, int handler, boolean value) {
        int bit = Properties.bit(event, handler);
        set(field, value ? get(field) | bit : get(field) & ~bit);
    }

    /** The events of a claim; 0 if there is no such row. */
    int claimed(int row) {
        return bytes[claimAt(row)];
    }

    int claimToken(int row) {
        return bytes[claimAt(row) + 1] & TOKEN;
    }

    /** The token with the marks that the lease has expired, and that the database has crashed since. */
    int claimLock(int row) {
        return bytes[claimAt(row) + 1];
    }

    int claimId(int row) {
        return bytes[claimAt(row) + 2];
    }

    boolean isClaimLive(int row) {
        return claimed(row) != 0 && (bytes[claimAt(row) + 1] & EXPIRED) == 0;
    }

    /** The lanes into which a replay has put deliveries since the claim was made. */
    int replayedLanes(int row) {
        return bytes[claimAt(row) + 3];
    }

    void noteReplay(int row, int lane) {
        bytes[claimAt(row) + 3] |= (byte) (1 << lane);
    }

    private int claimAt(int row) {
        return offset + CLAIM + row * FIELDS_OF_CLAIM;
    }

    void insertClaim(int eventSet, int token, int id) {
        int row = 0;
        while (claimed(row) != 0) {
            row++;
        }
        bytes[claimAt(row)] = (byte) eventSet;
        bytes[claimAt(row) + 1] = (byte) token;
        bytes[claimAt(row) + 2] = (byte) id;
    }

    void shrinkClaim(int row, int eventSet) {
        bytes[claimAt(row)] = (byte) eventSet;
        if (eventSet == 0) {
            bytes[claimAt(row) + 1] = 0;
            bytes[claimAt(row) + 2] = 0;
            bytes[claimAt(row) + 3] = 0;
        }
    }

    /** The sequence of claim ids moves back in time with everything else. */
    int nextClaimId() {
        return ++bytes[offset + CLAIM_SEQUENCE];
    }

    int get(Field field) {
        return bytes[offset + STREAM + field.ordinal()];
    }

    void set(Field field, int value) {
        bytes[offset + STREAM + field.ordinal()] = (byte) value;
    }

    /** Ends or renews the leases of all that has a token. */
    void setExpired(int token, boolean expired) {
        for (int at : TOKENS) {
            if (token != 0 && (bytes[offset + at] & TOKEN) == token) {
                bytes[offset + at] = (byte) (bytes[offset + at] & ~EXPIRED | (expired ? EXPIRED : 0));
            }
        }
    }

    /** Ends the leases of all claims, which the database has made before it crashed. */
    void outdateClaims() {
        for (int at : TOKENS) {
            bytes[offset + at] |= (byte) ((bytes[offset + at] & TOKEN) == 0 ? 0 : EXPIRED | OUTDATED);
        }
    }

    /** Deletes a claim although lanes name it. */
    void dangle(int token) {
        int[] tokens = {0, 1, 2, 3};
        tokens[token] = DANGLING;
        rename(tokens);
    }

    boolean hasLive(int token) {
        for (int at : TOKENS) {
            if (bytes[offset + at] == token) {
                return true;
            }
        }
        return false;
    }

    void orphan(int token) {
        int[] tokens = {0, 1, 2, 3};
        tokens[token] = ORPHAN;
        rename(tokens);
    }

    void rename(int[] tokens) {
        for (int at : TOKENS) {
            int token = bytes[offset + at] & TOKEN;
            if (token != 0 && token < DANGLING) {
                bytes[offset + at] = (byte) (bytes[offset + at] & ~TOKEN | tokens[token]);
            }
        }
    }

    void sortClaims() {
        for (int row = 1; row < CLAIMS; row++) {
            for (int below = row; below > 0 && sortKey(below - 1) < sortKey(below); below--) {
                for (int field = 0; field < FIELDS_OF_CLAIM; field++) {
                    byte swapped = bytes[claimAt(below) + field];
                    bytes[claimAt(below) + field] = bytes[claimAt(below - 1) + field];
                    bytes[claimAt(below - 1) + field] = swapped;
                }
            }
        }
    }

    private int sortKey(int row) {
        int at = claimAt(row);
        return bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3];
    }
}
