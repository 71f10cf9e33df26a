package dev.outbox.benchmarks.worker;

import java.io.Serial;
import java.io.Serializable;

/**
 * The event that is published and handled: about 300 bytes as JSON.
 *
 * @param number unique in a run, from 0 without gaps
 * @param key the account, which stands for the aggregate
 * @param seq the order of the events of one account, which is the order in which their transactions committed
 * @param note fills it up
 */
public record AccountChanged(int number, int key, long seq, String note) implements Serializable {

    @Serial
    private static final long serialVersionUID = 1;

    /** With the other members, makes 300 bytes of JSON. */
    private static final String NOTE = "0123456789".repeat(24);

    /** Checks the values. */
    public AccountChanged {
        if (number < 0 || key < 0 || seq < 1) {
            throw new IllegalArgumentException("number and key must not be negative, and seq must be positive: "
                    + number + ", " + key + ", " + seq);
        }
    }

    /**
     * Creates an event of the usual size.
     *
     * @param number its number
     * @param key its account
     * @param seq its place among the events of the account
     * @return the event
     */
    public static AccountChanged of(int number, int key, long seq) {
        return new AccountChanged(number, key, seq, NOTE);
    }
}
