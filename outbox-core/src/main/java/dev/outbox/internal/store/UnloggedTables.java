package dev.outbox.internal.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Tells whether the UNLOGGED tables of the database survive a crash. If they do, claims and settlements commit synchronously. */
public final class UnloggedTables {

    private final DataSource dataSource;
    private final Pipeline kept;

    public UnloggedTables(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.kept = new Pipeline(schema, "SELECT " + Pipeline.KEEPS_UNLOGGED_TABLES);
    }

    /** Returns whether UNLOGGED tables survive a crash. */
    public boolean areKept() throws SQLException {
        return kept.run(dataSource, (parameters) -> {}, (results) -> {
            ResultSet row = results.rows();
            row.next();
            return row.getBoolean(1);
        });
    }
}
