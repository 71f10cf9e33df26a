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
    /** A claim drops the claims that have expired. */
    DROP_EXPIRED_CLAIMS,
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
    /** Only the head of a lane is due. */
    HEAD_OF_LANE_ONLY,
    /** A delivery is claimed by one worker at a time. */
    DELIVERY_LEASE,
    /** A worker that claims a head whose claim has expired ends that claim for what follows the head too. */
    LANE_CLAIM_ENDS_OLDER_CLAIM,
    /** An outcome of a delivery is written only by the worker that still has it claimed. */
    DELIVERY_FENCE,
    /** The next delivery of a lane becomes its head when the head has ended. */
    PROMOTE_NEXT,
    /** Transactions that change the head of a lane take turns. */
    LANE_LOCK,
    /** What the worker of a lane attempts next stays ahead of an earlier delivery that an operator has put back meanwhile. */
    KEEP_HEAD,
    /** A retried dead letter demotes a later head that no worker has claimed. */
    DEMOTE_HEAD,
    /** When a head is demoted, its expired claim ends, so that a late worker cannot renew it. */
    DEMOTION_ENDS_CLAIM
}
