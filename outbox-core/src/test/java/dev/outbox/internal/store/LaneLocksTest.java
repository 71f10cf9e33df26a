package dev.outbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.fixture.TestOutbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Locks of lanes: a transaction that holds many of one handler delays no other handler. */
class LaneLocksTest {

    private static final String[] AGGREGATES =
            IntStream.range(0, 2_000).mapToObj(Integer::toString).toArray(String[]::new);

    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void stormOfOneHandlerBlocksNoOther() throws SQLException {
        try (Connection storm = begin();
                Connection other = begin()) {
            lock(storm, "mail");
            lock(other, "billing");
            assertThat(locksOfLanes()).isEqualTo(2 * 128);
            assertThatThrownBy(() -> lock(other, "mail")).hasMessageContaining("lock timeout");
            other.rollback();
            storm.rollback();
        }
    }

    private Connection begin() throws SQLException {
        Connection connection = outbox.dataSource().getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '200ms'");
        }
        return connection;
    }

    private static void lock(Connection connection, String handler) throws SQLException {
        String[] types = new String[AGGREGATES.length];
        String[] handlers = new String[AGGREGATES.length];
        Arrays.fill(types, "order");
        Arrays.fill(handlers, handler);
        NamedSql sql = new NamedSql(OutboxSchema.DEFAULT.render(LaneSql.LOCK_LANES));
        try (PreparedStatement statement = connection.prepareStatement(sql.positional())) {
            sql.bind(statement)
                    .set("lane_types", types)
                    .set("lane_ids", AGGREGATES)
                    .set("lane_handlers", handlers)
                    .requireAll();
            statement.execute();
        }
    }

    private int locksOfLanes() {
        return outbox.sql()
                .sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                        + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
                .query(Integer.class)
                .single();
    }
}
