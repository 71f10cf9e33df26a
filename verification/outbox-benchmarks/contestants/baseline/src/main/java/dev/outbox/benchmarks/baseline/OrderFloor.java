package dev.outbox.benchmarks.baseline;

import dev.outbox.benchmarks.worker.Setup;

/**
 * Floor of storing events in commit order: a counter per account, whose row stays locked until commit, and a table with
 * two indexes, the second of which makes numbers unique.
 */
public final class OrderFloor extends InsertFloor {

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS event (
                id         bigserial   NOT NULL PRIMARY KEY,
                account    integer     NOT NULL,
                seq        bigint      NOT NULL,
                payload    text        NOT NULL,
                created_at timestamptz NOT NULL DEFAULT now(),
                UNIQUE (account, seq)
            );
            CREATE TABLE IF NOT EXISTS counter (
                account  integer NOT NULL PRIMARY KEY,
                last_seq bigint  NOT NULL
            ) WITH (fillfactor = 70);
            """;

    /** Relies on the primary key of the counter. */
    private static final String INSERT = """
            WITH numbered AS (
                INSERT INTO counter AS c (account, last_seq)
                VALUES (?, 1)
                ON CONFLICT (account) DO UPDATE SET last_seq = c.last_seq + 1
                RETURNING account, last_seq
            )
            INSERT INTO event (account, seq, payload)
            SELECT account, last_seq, ?
              FROM numbered
            """;

    /** Creates the tables. */
    public OrderFloor(Setup setup) {
        super(setup, CREATE, INSERT);
    }
}
