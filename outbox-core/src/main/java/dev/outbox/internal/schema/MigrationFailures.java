package dev.outbox.internal.schema;

import dev.outbox.internal.failure.ConnectionFailures;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/** Explanations of failed migrations, without the SQL that Flyway puts into its messages. */
final class MigrationFailures {

    private static final Pattern LINE = Pattern.compile("(?m)^Line\\s*: (\\d+)");
    private static final Pattern SCRIPT = Pattern.compile("[VR]_?[0-9_.]*__\\w+\\.sql");

    private MigrationFailures() {}

    /** Returns the explanation, or the failure itself if it is no failed migration. */
    static RuntimeException explained(RuntimeException failure) {
        if (failure instanceof FlywayValidateException) {
            return new DatabaseSetupException(
                    "the outbox tables were migrated by another build of Outbox than the one on the class path: "
                            + String.valueOf(failure.getMessage())
                                    .lines()
                                    .filter((line) -> line.startsWith("Migration ") || line.startsWith("Detected "))
                                    .findFirst()
                                    .orElse("the history of the tables does not fit"),
                    "deploy the version that migrated the tables, or a later release",
                    null);
        }
        if (ConnectionFailures.isCausedBy(failure)) {
            return new DatabaseSetupException(
                    "the outbox lost or got no connection while it created or checked its tables: "
                            + NestedExceptionUtils.getMostSpecificCause(failure).getMessage(),
                    "start again when the database answers; if other parts of the application hold the connections of the pool, enlarge it",
                    NestedExceptionUtils.getMostSpecificCause(failure));
        }
        SQLException refusal = failure instanceof FlywayException ? refusal(failure) : null;
        if (refusal == null) {
            return failure;
        }
        String message = String.valueOf(failure.getMessage());
        String script = first(SCRIPT, message, 0);
        String line = first(LINE, message, 1);
        return new DatabaseSetupException(
                "PostgreSQL refused a statement that creates or updates the outbox tables"
                        + (script.isEmpty() ? "" : ", in " + script)
                        + (line.isEmpty() ? "" : ", line " + line) + ": " + refusal.getMessage(),
                "correct what the message names and start again; each migration is one transaction, so this one has changed nothing",
                refusal);
    }

    private static @Nullable SQLException refusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }

    private static String first(Pattern pattern, String text, int group) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(group) : "";
    }
}
