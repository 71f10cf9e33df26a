package dev.outbox.internal.schema;

import dev.outbox.MissingPrivilegeException;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.SqlFailures;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Explanations of a connection that PostgreSQL refuses, by the SQL state. */
final class ConnectionProblem {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    private static final String UNKNOWN_DATABASE = "3D000";
    private static final String TOO_MANY_CONNECTIONS = "53300";
    private static final String STARTS_OR_STOPS = "57P0";
    private static final String REFUSED_LOGIN = "28";
    private static final String NO_CONNECTION = "08";

    private ConnectionProblem() {}

    /** Whether a later attempt would fail alike. A server that starts or is full may let a pool in that waits. */
    static boolean isFinal(SQLException ex) {
        String state = String.valueOf(ex.getSQLState());
        return state.startsWith(REFUSED_LOGIN)
                || state.equals(UNKNOWN_DATABASE)
                || state.equals(INSUFFICIENT_PRIVILEGE);
    }

    /** Whether a failure came from the server or the network, and not from how the driver was called. */
    private static boolean isAnswerOfServer(SQLException ex) {
        String state = String.valueOf(ex.getSQLState());
        return state.startsWith(REFUSED_LOGIN)
                || state.startsWith(STARTS_OR_STOPS)
                || state.equals(UNKNOWN_DATABASE)
                || state.equals(INSUFFICIENT_PRIVILEGE)
                || state.equals(TOO_MANY_CONNECTIONS)
                || Causes.anyMatch(ex, (cause) -> cause instanceof IOException);
    }

    /** Returns the explanation of a failure, or the failure itself if its SQL state says nothing. */
    static RuntimeException translated(Exception failure, Optional<UnpooledDataSource> target) {
        SQLException refusal = refusal(failure);
        if (refusal == null) {
            return failure instanceof RuntimeException unchecked
                    ? unchecked
                    : SqlFailures.translated("check the database", "", (SQLException) failure);
        }
        String state = String.valueOf(refusal.getSQLState());
        String url = target.map(UnpooledDataSource::url)
                .map(ConnectionProblem::withoutParameters)
                .orElse("its DataSource");
        String user = target.map(UnpooledDataSource::user).orElse("its user");
        String answer = String.valueOf(refusal.getMessage()).replaceFirst("\\.$", "");
        if (state.startsWith(REFUSED_LOGIN)) {
            return new DatabaseSetupException(
                    "the outbox cannot log in to " + url + " as " + user + ": " + answer,
                    "check spring.datasource.username and spring.datasource.password, and whether pg_hba.conf of the server lets this"
                            + " user in",
                    refusal);
        }
        if (state.equals(UNKNOWN_DATABASE)) {
            return new DatabaseSetupException(
                    "the database of the outbox does not exist at " + url + ": " + answer,
                    "correct the name in spring.datasource.url, or create the database with CREATE DATABASE",
                    refusal);
        }
        if (state.equals(INSUFFICIENT_PRIVILEGE)) {
            return new MissingPrivilegeException(
                    "the outbox may not connect to " + url + " as " + user + ": " + answer,
                    "let the owner of the database run: GRANT CONNECT ON DATABASE … TO " + user,
                    refusal);
        }
        if (state.equals(TOO_MANY_CONNECTIONS)) {
            return new DatabaseSetupException(
                    "the server of the outbox at " + url + " has no connection left: " + answer,
                    "raise max_connections of the server, or lower the sizes of the connection pools that use it",
                    refusal);
        }
        return new DatabaseSetupException(
                "the outbox cannot reach " + url + ": " + answer,
                "start the server, or correct the host and port in spring.datasource.url; a firewall may also be in the way",
                refusal);
    }

    /** Returns the exception whose state is one of those above. */
    private static @Nullable SQLException refusal(Throwable failure) {
        SQLException[] found = new SQLException[1];
        Causes.anyMatch(failure, (cause) -> {
            if (cause instanceof SQLException sql
                    && (isAnswerOfServer(sql)
                            || String.valueOf(sql.getSQLState()).startsWith(NO_CONNECTION))) {
                found[0] = sql;
            }
            return found[0] != null;
        });
        return found[0];
    }

    /** Parameters of a URL may hold a password. */
    static String withoutParameters(@Nullable String url) {
        return url == null ? "an unknown URL" : url.replaceFirst("[?;].*", "");
    }
}
