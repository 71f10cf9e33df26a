package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.failure.Causes;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.jspecify.annotations.Nullable;

/** Explanations of connections that PostgreSQL refuses, by their SQL state, and of migrations that fail, without their SQL. */
final class DatabaseProblems {

    private static final Pattern PLACE =
            Pattern.compile("(?s)([VR]_?[0-9_.]*__\\w+\\.sql).*^Line\\s*: (\\d+)", Pattern.MULTILINE);

    private DatabaseProblems() {}

    /** Explains a failed connection, or returns the failure itself if its SQL state says nothing. */
    static RuntimeException connecting(Exception failure, DataSource dataSource) {
        SQLException refusal = find(failure, DatabaseProblems::isRefusal);
        if (refusal == null) {
            return failure instanceof RuntimeException unchecked
                    ? unchecked
                    : Causes.translated("check the database", "", (SQLException) failure);
        }
        Optional<UnpooledDataSource> target = UnpooledDataSource.find(dataSource);
        String url = withoutParameters(target.map(UnpooledDataSource::url).orElse("its DataSource"));
        String property = target.map(UnpooledDataSource::property).orElse("spring.datasource.url");
        String user = target.map(UnpooledDataSource::user).orElse("its user");
        String state = String.valueOf(refusal.getSQLState());
        String[] explanation = switch (state.startsWith("28") ? "28" : state) {
            case "28" ->
                new String[] {
                    "the outbox cannot log in to " + url + " as " + user,
                    "check spring.datasource.username and spring.datasource.password"
                            + (property.equals(UnpooledDataSource.DIRECT_URL) ? ", or those in " + property : "")
                            + ", and whether pg_hba.conf of the server lets this user in"
                };
            case "3D000" ->
                new String[] {
                    "the database of the outbox does not exist at " + url,
                    "correct the name in " + property + ", or create the database with CREATE DATABASE"
                };
            case "42501" ->
                new String[] {
                    "the outbox may not connect to " + url + " as " + user,
                    "let the owner of the database run: GRANT CONNECT ON DATABASE … TO " + user
                };
            case "53300" ->
                new String[] {
                    "the server of the outbox at " + url + " has no connection left",
                    "raise max_connections of the server, or lower the sizes of the connection pools that use it"
                };
            default ->
                new String[] {
                    "the outbox cannot reach " + url,
                    "start the server, or correct the host and port in " + property
                            + "; a firewall may also be in the way"
                };
        };
        String answer = String.valueOf(refusal.getMessage()).replaceFirst("\\.$", "");
        return new OutboxConfigurationException(explanation[0] + ": " + answer, explanation[1], refusal);
    }

    private static boolean isRefusal(SQLException ex) {
        return String.valueOf(ex.getSQLState()).matches("(28|08|57P0).*|3D000|42501|53300")
                || Causes.anyMatch(ex, IOException.class::isInstance);
    }

    /** Returns whether a migration creates what exists. */
    static boolean isDuplicate(RuntimeException failure) {
        return find(failure, (ex) -> "42P07".equals(ex.getSQLState())) != null;
    }

    /** Explains a failed migration or check, or returns the failure itself. */
    static RuntimeException migrating(RuntimeException failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof FlywayValidateException) {
            return new OutboxConfigurationException(
                    "the outbox tables were migrated by another build of Outbox than the one on the class path: "
                            + message.lines()
                                    .filter((line) -> line.startsWith("Migration ") || line.startsWith("Detected "))
                                    .findFirst()
                                    .orElse("the history of the tables does not fit"),
                    "deploy the version that migrated the tables, or a later release; if the application's own Flyway has"
                            + " spring.flyway.table=outbox_schema_history, name another table there",
                    null);
        }
        if (message.startsWith("Unsupported Database: PostgreSQL")) {
            return new OutboxConfigurationException(
                    "Flyway, which creates and checks the outbox tables, lacks its module for PostgreSQL",
                    "remove the exclusion of org.flywaydb:flyway-database-postgresql, which has the version of flyway-core",
                    failure);
        }
        SQLException refusal = find(failure, (ex) -> true);
        if (refusal == null || !(failure instanceof FlywayException || Causes.isOutage(failure))) {
            return failure;
        }
        String answer = Causes.explained(refusal).getMessage();
        if (Causes.isOutage(failure)) {
            return new OutboxConfigurationException(
                    "the outbox lost or got no connection while it created or checked its tables: " + answer,
                    "start again when the database answers; if other parts of the application hold the connections of the pool, enlarge it",
                    refusal);
        }
        Matcher place = PLACE.matcher(message);
        return new OutboxConfigurationException(
                "PostgreSQL refused a statement that creates or updates the outbox tables"
                        + (place.find() ? ", in " + place.group(1) + ", line " + place.group(2) : "") + ": " + answer,
                "correct what the message names and start again; each migration is one transaction, so this one has changed nothing",
                refusal);
    }

    private static @Nullable SQLException find(Throwable failure, Predicate<SQLException> predicate) {
        SQLException[] found = new SQLException[1];
        Causes.anyMatch(failure, (cause) -> {
            found[0] = cause instanceof SQLException sql && predicate.test(sql) ? sql : found[0];
            return found[0] != null;
        });
        return found[0];
    }

    /** Parameters of a URL may hold a password. */
    static String withoutParameters(@Nullable String url) {
        return url == null ? "an unknown URL" : url.replaceFirst("[?;].*", "");
    }
}
