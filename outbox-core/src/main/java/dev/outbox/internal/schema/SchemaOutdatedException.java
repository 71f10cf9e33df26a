package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;

/** The outbox tables are not as this version needs them, and it may not change them. */
public final class SchemaOutdatedException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    private final String sql;

    SchemaOutdatedException(String message, String sql) {
        super(message + "\n\nRun this SQL, or start once with outbox.migrate=true:\n\n" + sql, null);
        this.sql = sql;
    }

    /** Returns what has to be run. */
    public String sql() {
        return sql;
    }
}
