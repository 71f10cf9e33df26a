package dev.outbox.chaos.model;

/** A promise that the checker verifies in every state or transition. */
enum Property {
    /** A handler gets the events of an aggregate in order: each starts after all earlier ones were handled or are dead. */
    ORDER,
    /** No two workers own the same aggregate, or the same lane, at the same time. */
    ONE_OWNER,
    /** A handler starts only under a claim that is live, and that the database has confirmed. */
    LIVE_CLAIM,
    /** A settlement changes nothing if its claim is lost. */
    FENCED_SETTLEMENT,
    /** No committed event that is pending lies before the id where claims start. */
    GAPLESS_WINDOW,
    /** A lane has a row exactly as long as it has deliveries that are open or block it, and the row names the first of them. */
    LANE_ROW,
    /** What is settled, or removed by an operator, is not handled again. */
    SETTLED_STAYS,
    /** No delivery dies for crashes of another one. */
    BLAME,
    /** Everything that was committed can still be delivered if no more faults happen. */
    NOTHING_LOST,
}
