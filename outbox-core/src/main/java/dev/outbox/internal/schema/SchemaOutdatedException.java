package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;

/** Thrown when the outbox tables are outdated and {@code outbox.migrate} is false. */
public final class SchemaOutdatedException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    private final String sql;

    SchemaOutdatedException(String message, String sql) {
        super(message + "\n\nRun this SQL, or start once with outbox.migrate=true:\n\n" + sql, null);
        this.sql = sql;
    }

    /** Returns the SQL that updates the tables. */
    public String sql() {
        return sql;
    }
}
