package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Format;
import dev.outbox.console.internal.web.Inputs;

/**
 * Number of deliveries that a bulk operation is about to change.
 *
 * @param count the number
 * @param exact whether there were no more when they were counted
 */
record Total(long count, boolean exact) {

    static Total of(Inputs inputs) {
        return new Total(inputs.number("total", 0), inputs.text("more") == null);
    }

    /** The number for the operator. */
    public String text() {
        return Format.total(count, exact);
    }
}
