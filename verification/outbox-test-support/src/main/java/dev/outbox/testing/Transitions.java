package dev.outbox.testing;

import java.util.Set;

/** Changes of status that {@code docs/states.md} lists; {@code NONE} is no row. */
public final class Transitions {

    /** A move from the queue to history is the transition of an event to PUBLISHED. */
    public static final Set<String> OF_EVENTS = Set.of(
            "NONE PENDING",
            "PENDING PENDING",
            "PENDING RETRYING",
            "PENDING DEAD",
            "PENDING PUBLISHED",
            "RETRYING RETRYING",
            "RETRYING DEAD",
            "RETRYING PUBLISHED",
            "DEAD RETRYING",
            "DEAD PUBLISHED",
            "PUBLISHED NONE");

    public static final Set<String> OF_DELIVERIES = Set.of(
            "NONE OPEN",
            "NONE BLOCKING",
            "NONE DEAD",
            "OPEN OPEN",
            "OPEN BLOCKING",
            "OPEN DEAD",
            "OPEN NONE",
            "BLOCKING OPEN",
            "BLOCKING NONE",
            "DEAD OPEN",
            "DEAD NONE");

    private Transitions() {}
}
