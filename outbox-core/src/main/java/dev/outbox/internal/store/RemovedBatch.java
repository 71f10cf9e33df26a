package dev.outbox.internal.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/** Batch of rows that retention removed. */
public record RemovedBatch(int rows, OffsetDateTime upTo) {

    /** Where a run begins: before all times. */
    public static final OffsetDateTime BEGINNING = OffsetDateTime.MIN;

    /** Checks the values. */
    public RemovedBatch {
        if (rows < 0) {
            throw new IllegalArgumentException("rows must not be negative: " + rows);
        }
    }

    static RemovedBatch read(ResultSet row) throws SQLException {
        row.next();
        OffsetDateTime youngest = row.getObject(2, OffsetDateTime.class);
        return new RemovedBatch(row.getInt(1), youngest == null ? BEGINNING : youngest);
    }
}
