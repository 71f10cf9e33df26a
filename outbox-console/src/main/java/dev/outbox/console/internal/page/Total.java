package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Format;

/**
 * Number of deliveries that a bulk operation is about to change.
 *
 * @param count the number
 * @param exact whether there were no more when they were counted
 */
record Total(long count, boolean exact) {

    /** The number for the operator. */
    public String text() {
        return Format.total(count, exact);
    }
}
