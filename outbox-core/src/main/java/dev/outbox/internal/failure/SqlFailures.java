package dev.outbox.internal.failure;

import dev.outbox.OutboxConfigurationException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;

/** Unchecked exceptions for failed statements. */
public final class SqlFailures {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private SqlFailures() {}

    /** Translates a failure. */
    public static RuntimeException translated(String task, String remedy, SQLException failure) {
        RuntimeException missing = missingPrivilege(task, remedy, failure);
        if (missing != null) {
            return missing;
        }
        DataAccessException translated = new SQLStateSQLExceptionTranslator().translate(task, null, failure);
        return translated != null ? translated : new UncategorizedSQLException(task, null, failure);
    }

    /** Returns the exception for a missing privilege; {@code null} if the failure has another cause. */
    public static @Nullable OutboxConfigurationException missingPrivilege(
            String task, String remedy, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && INSUFFICIENT_PRIVILEGE.equals(sql.getSQLState())) {
                return new OutboxConfigurationException(
                        "the database refused to " + task + ": " + sql.getMessage(), remedy, failure);
            }
        }
        return null;
    }
}
