package dev.outbox.benchmarks.worker;

import java.io.Serial;
import java.io.Serializable;

/**
 * Published event: about 300 bytes as JSON.
 *
 * @param number unique in a run, from 0 without gaps
 * @param key the account, which is the aggregate
 * @param seq the commit order of the events of one account
 * @param note padding
 */
public record AccountChanged(int number, int key, long seq, String note) implements Serializable {

    @Serial
    private static final long serialVersionUID = 1;

    /** Padding to 300 bytes of JSON with the other members. */
    private static final String NOTE = "0123456789".repeat(24);

    /** Checks the values. */
    public AccountChanged {
        if (number < 0 || key < 0 || seq < 1) {
            throw new IllegalArgumentException("number and key must not be negative, and seq must be positive: "
                    + number + ", " + key + ", " + seq);
        }
    }

    /** Creates an event of the usual size. */
    public static AccountChanged of(int number, int key, long seq) {
        return new AccountChanged(number, key, seq, NOTE);
    }
}
