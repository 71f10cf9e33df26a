package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;

/** Thrown when the outbox tables are outdated and {@code outbox.migrate} is false. Its message leaves out the SQL, which logs would repeat. */
public final class SchemaOutdatedException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String sql;

    SchemaOutdatedException(String message, String sql) {
        super(message + "; start once with outbox.migrate=true, or run the SQL that updates the tables", null);
        this.problem = message;
        this.sql = sql;
    }

    /** Returns which migrations did not run, as a sentence without a full stop. */
    public String problem() {
        return problem;
    }

    /** Returns the SQL that updates the tables. */
    public String sql() {
        return sql;
    }
}
