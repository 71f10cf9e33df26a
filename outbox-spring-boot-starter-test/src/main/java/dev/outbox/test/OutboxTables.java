package dev.outbox.test;

import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Empties the tables of the outbox, and moves its due times. Each call is a transaction of its own. */
record OutboxTables(DataSource dataSource, Schemas schemas, List<String> ofModules) {

    /** A transaction that a test left open must not block the tests after it for ever. */
    private static final String TIMEOUT = "SET LOCAL lock_timeout = '10s'";

    private static final String EMPTY = """
            DELETE FROM {schema}.outbox_delivery;
            DELETE FROM {schema}.outbox_lane;
            DELETE FROM {schema}.outbox_claim;
            DELETE FROM {schema}.outbox;
            DELETE FROM {schema}.outbox_scheduled;
            DELETE FROM {schema}.outbox_aggregate;
            DELETE FROM {schema}.outbox_aggregate_type;
            DELETE FROM {schema}.outbox_replay;
            DELETE FROM {schema}.outbox_operation;
            DELETE FROM {schema}.processed_event;
            DELETE FROM {archive}.events
            """;

    /** A test may have paused streams and handlers. */
    private static final String RESET = """
            UPDATE {schema}.outbox_stream SET paused_until = '-infinity' WHERE paused_until > '-infinity';
            WITH resumed AS (
                UPDATE {schema}.outbox_handler SET paused_until = '-infinity' WHERE paused_until > '-infinity' RETURNING id
            )
            UPDATE {schema}.outbox_stream SET registry_version = registry_version + 1 WHERE EXISTS (SELECT FROM resumed)
            """;

    /** A lane is due at once, and not in the past: pollers do not look for lanes that were due before they last looked. */
    private static final String ADVANCE = """
            UPDATE {schema}.outbox SET next_retry_at = next_retry_at - {by} WHERE next_retry_at IS NOT NULL;
            UPDATE {schema}.outbox_delivery
               SET next_retry_at = next_retry_at - {by}, report_at = report_at - {by};
            UPDATE {schema}.outbox_lane SET due_at = greatest(due_at - {by}, least(due_at, now()));
            UPDATE {schema}.outbox_scheduled SET due_at = due_at - {by};
            UPDATE {schema}.outbox_claim SET locked_until = locked_until - {by}
            """;

    private static final String LIFT_RATES = """
            UPDATE {schema}.outbox_replay SET fed_at = fed_at - interval '1 day' WHERE finished_at IS NULL
            """;

    void empty() {
        String modules = ofModules.stream()
                .map((table) -> "DELETE FROM {schema}." + table + ";")
                .collect(Collectors.joining());
        run(modules + EMPTY + ";" + RESET);
    }

    /** Lets replays add all their events at once. */
    void liftReplayRates() {
        run(LIFT_RATES);
    }

    void advance(Duration duration) {
        run(ADVANCE.replace("{by}", "interval '" + duration.toMillis() + " milliseconds'"));
    }

    private void run(String sql) {
        String statements = sql.replace("{schema}", schemas.outbox().quoted())
                .replace("{archive}", schemas.archive().quoted());
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(TIMEOUT + ";" + statements);
                connection.commit();
            } catch (SQLException ex) {
                connection.rollback();
                throw ex;
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException ex) {
            throw new IllegalStateException("the test kit could not change the tables of the outbox", ex);
        }
    }
}
