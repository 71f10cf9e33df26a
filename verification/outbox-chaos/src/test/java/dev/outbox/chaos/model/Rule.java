package dev.outbox.chaos.model;

/** A rule of the delivery protocol. Each can be switched off, to show which promise it keeps. */
enum Rule {
    /** A publisher has its transaction id before it draws an event id. */
    TRANSACTION_ID_FIRST,
    /** A claim reads the last event id before it has a transaction id of its own, which becomes the next horizon. */
    LAST_ID_BEFORE_HORIZON,
    /** The safe mark passes an event id only after all publishers before the horizon have ended. */
    WINDOW_WAITS_FOR_WRITERS,
    /** Claims fall back to the safe mark when a publisher ends that the low-water mark has passed over. */
    SAFE_MARK,
    /** The claim window is stored with the events, and moves back in time with them when the database crashes. */
    WINDOW_IN_DATABASE,
    /** Claimers of a stream take turns: each sees all earlier claims. */
    STREAM_LOCK,
    /** A claim leaves out the aggregates of all other claims. */
    SKIP_CLAIMED_AGGREGATES,
    /** A claim that skips a locked row skips all later events of its aggregate. */
    SKIP_BEHIND_LOCKED_ROW,
    /** Claims that have expired are ended, those of events and those of lanes. */
    END_EXPIRED_CLAIMS,
    /** While another session has locked the row of a lane, its expired claim is taken from its worker, but not deleted. */
    VOID_WHILE_LOCKED,
    /** A handler starts only after the database has confirmed the claim. */
    CONFIRM_BEFORE_START,
    /** A confirmation is trusted no longer than the lease lasts. */
    TRUST_ENDS_WITH_LEASE,
    /** The first claim after a database crash waits until no worker trusts an earlier confirmation. */
    WAIT_FOR_TRUST_TO_END,
    /** A settlement is written only if its claim is still there. */
    SETTLE_NEEDS_CLAIM,
    /** A claim is identified by a random token; an id of a sequence is given again after a database crash. */
    RANDOM_TOKEN,
    /** A claim is void after a database crash, also if the database has not forgotten it. */
    INCARNATION,
    /** A partial settlement writes the outcomes in the order of events. */
    SETTLE_IN_ORDER,
    /** An event waits for the earlier deliveries in its lane that the claim found. */
    WAIT_BEHIND_LANE,
    /** An event waits for an earlier event of the same batch whose handler failed. */
    WAIT_BEHIND_FAILURE,
    /** A lane is claimed by one worker at a time. */
    LANE_LEASE,
    /** A claim checks under the lock of a lane that it is still due. */
    CHECK_UNDER_LOCK,
    /** A claim reads the deliveries of a lane after it has locked its row. */
    READ_AFTER_LOCK,
    /** An outcome of a delivery is written only by the worker that still has the lane leased. */
    LANE_FENCE,
    /** Each transaction that changes deliveries of a lane ends with a fresh row of it, or with none. */
    REFRESH_LANE,
    /** A transaction that adds deliveries to a lane locks its row, or creates it. */
    LANE_LOCK,
    /** Operators leave alone what a worker may be attempting. */
    LEASED_IS_BUSY,
    /** A replayed delivery waits for older claims of its aggregate, which do not know of it. */
    REPLAY_WAITS,
    /** Once a lease has expired, a lane goes one delivery at a time. */
    ONE_AFTER_CRASH,
    /** Crashes of a delivery are not counted against the next one. */
    COUNT_RETURNS,
    /** A lease does not count against a delivery that came in front of it. */
    LEASE_BLAMES_ITS_OWN,
    /** A handler goes on in a lane only after the success of the delivery before. */
    CHAIN_ENDS_WITH_FAILURE,
    /** A delivery whose outcome comes later gets a lane that its claim keeps. */
    CLAIM_KEEPS_LANE,
    /** A settlement that keeps lanes is repeated as it was if its answer is lost, whatever has come since. */
    KEPT_STAYS_KEPT,
    /** A claim of events lasts as long as it keeps lanes. */
    LAST_EVENT_LEAVES_LANES,
    /** A claim of events lasts as long as it has events, also if it gives its last lane back. */
    LAST_LANE_LEAVES_EVENTS,
    /** An outcome that comes later is written only while the claim still keeps the lane. */
    KEPT_FENCE,
    /** The outcome of a kept delivery that has come is written before those of later events of its aggregate. */
    KEPT_BEFORE_LATER_EVENTS
}
