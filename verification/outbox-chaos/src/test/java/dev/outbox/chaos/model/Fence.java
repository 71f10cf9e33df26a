package dev.outbox.chaos.model;

/** What tells whether a claim still belongs to a worker. */
record Fence(Protocol protocol) {

    private static final int NONE = -1;

    /** The row that a worker takes for its claim, expired or not; -1 if there is none. */
    int rowOf(State state, Worker worker) {
        if (worker.isStale() && protocol.has(Rule.INCARNATION)) {
            return NONE;
        }
        Database database = state.database();
        for (int row = 0; row < Database.CLAIMS; row++) {
            boolean same = protocol.has(Rule.RANDOM_TOKEN)
                    ? database.claimToken(row) == worker.token()
                    : database.claimId(row) == worker.claimId();
            if (database.claimed(row) != 0 && same) {
                return row;
            }
        }
        return NONE;
    }

    /** Whether a worker takes a lane for its own, expired or not. */
    boolean holds(State state, Worker worker, int lane) {
        return !(worker.isStale() && protocol.has(Rule.INCARNATION))
                && state.database().laneToken(lane) == worker.token();
    }

    /** Whether a claim of events is held and has not expired. It may keep lanes only. */
    boolean isClaimLive(State state, Worker worker) {
        return isHeld(state, worker) && state.database().hasLive(worker.token());
    }

    /** Whether a worker takes a claim of events for its own, expired or not. It may keep lanes only. */
    boolean isHeld(State state, Worker worker) {
        boolean held = rowOf(state, worker) >= 0;
        for (int lane = 0; lane < State.LANES && worker.kept() != 0; lane++) {
            held |= holds(state, worker, lane);
        }
        return held;
    }

    /** Whether a claim of events is in fact a worker's, by whatever rules it finds out. */
    static boolean owns(State state, Worker worker, int event) {
        Database database = state.database();
        for (int row = 0; row < Database.CLAIMS; row++) {
            if (database.claimToken(row) == worker.token() && (database.claimed(row) >> event & 1) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether the claim of an event, or of its lane, is in fact a worker's and has not expired. */
    static boolean isLive(Bounds bounds, State state, Worker worker, int event, int handler) {
        Database database = state.database();
        int lane = bounds.lane(event, handler);
        boolean hasLane = database.laneToken(lane) == worker.token() && database.isLaneLive(lane);
        if (worker.work() == Worker.Work.LANE || worker.keeps(event, handler) && hasLane) {
            return hasLane;
        }
        for (int row = 0; row < Database.CLAIMS; row++) {
            if (database.claimToken(row) == worker.token() && (database.claimed(row) >> event & 1) != 0) {
                return database.isClaimLive(row);
            }
        }
        return false;
    }
}
