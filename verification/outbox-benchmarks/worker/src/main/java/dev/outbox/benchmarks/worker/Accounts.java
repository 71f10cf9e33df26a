package dev.outbox.benchmarks.worker;

import java.util.Objects;
import org.springframework.jdbc.core.JdbcTemplate;

/** Domain: accounts, of which every transaction changes one. */
record Accounts(JdbcTemplate jdbc) {

    private static final String CREATE = """
            CREATE TABLE account (
                id         integer     NOT NULL PRIMARY KEY,
                version    bigint      NOT NULL DEFAULT 0,
                changed_at timestamptz NOT NULL DEFAULT now()
            ) WITH (fillfactor = 50)
            """;

    private static final String FILL = """
            INSERT INTO account (id)
            SELECT generate_series(0, ? - 1)
            """;

    /** Relies on the primary key. */
    private static final String CHANGE = """
            UPDATE account
               SET version = version + 1,
                   changed_at = clock_timestamp()
             WHERE id = ?
            RETURNING version
            """;

    void create(int accounts) {
        jdbc.execute(CREATE);
        jdbc.update(FILL, accounts);
    }

    /**
     * Changes an account and returns its version, which follows the commit order because the row stays locked until
     * commit.
     */
    long change(int account) {
        return Objects.requireNonNull(jdbc.queryForObject(CHANGE, Long.class, account));
    }
}
