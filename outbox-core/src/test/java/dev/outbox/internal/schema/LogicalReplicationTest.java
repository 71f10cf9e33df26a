package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.ServerSettings;
import dev.outbox.testing.TestPostgres;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A move to another server by logical replication, which copies no sequences. */
@Tag("full")
class LogicalReplicationTest {

    private static final int WAITING = 5;

    @Test
    @Guarantee(
            value = "G3",
            sentence = "After a move by logical replication, new events do not overtake those that wait.")
    void newEventsFollowThoseThatWaited() throws SQLException {
        ServerSettings logical = ServerSettings.fast().with("wal_level", "logical");
        try (TestPostgres oldServer = TestPostgres.start(logical);
                TestPostgres newServer = TestPostgres.start(logical);
                TestOutbox source = TestOutbox.create(oldServer);
                TestOutbox target = TestOutbox.create(newServer)) {
            deliver(source);
            EventEnvelope last = null;
            for (int number = 0; number < WAITING; number++) {
                last = source.publish("1", new OrderPlaced(number));
            }
            replicate(source, target);

            assertThatThrownBy(() -> start(target.dataSource()))
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining("SELECT setval('events.outbox_id_seq', " + last.id() + " + 1000)");
            start(target.owner());
            start(target.dataSource());
            EventEnvelope fresh = target.publish("1", new OrderPlaced(6));
            Recorded handler = Recorded.all();
            target.handler("mail", "*", handler).start();

            await().untilAsserted(() -> assertThat(handler.handled()).hasSize(WAITING + 1));
            assertThat(handler.sequences().get("1")).isSorted();
            assertThat(fresh.sequence()).isEqualTo(last.sequence() + 1);
            assertThat(target.published()).isEqualTo(WAITING + 4);
        }
    }

    /** Leaves history, and marks of the claim window. */
    private static void deliver(TestOutbox source) {
        Recorded handler = Recorded.all();
        try (TestOutbox worker = source.another().handler("mail", "*", handler)) {
            worker.start();
            for (int number = 1; number <= 3; number++) {
                source.publish("" + number, new OrderPlaced(number));
            }
            await().untilAsserted(() -> assertThat(source.published()).isEqualTo(3));
        }
    }

    private static void start(DataSource dataSource) {
        new OutboxMigrations(dataSource, OutboxSchema.DEFAULT, new OutboxSchema("audit")).start(false);
    }

    /** Copies the tables to a server that has their definitions, and ends the replication. */
    private static void replicate(TestOutbox source, TestOutbox target) throws SQLException {
        List<String> tables = source.values(String.class, """
                        SELECT c.oid::regclass::text
                          FROM pg_class c
                         WHERE c.relnamespace IN ('events'::regnamespace, 'audit'::regnamespace)
                           AND c.relkind = 'r'
                           AND c.relpersistence = 'p'
                           AND c.relname <> 'outbox_schema_history'
                        """);
        run(source, "CREATE PUBLICATION move FOR TABLE " + String.join(", ", tables));
        URI address = URI.create(
                source.database().jdbcUrl().substring("jdbc:".length()).replaceFirst("[?].*", ""));
        run(
                target,
                "CREATE SUBSCRIPTION move CONNECTION 'host=" + address.getHost() + " port=" + address.getPort()
                        + " dbname=" + source.database().name() + " user=postgres' PUBLICATION move");
        await().untilAsserted(() -> {
            for (String table : tables) {
                assertThat(target.count(table)).as(table).isEqualTo(source.count(table));
            }
        });
        run(target, "DROP SUBSCRIPTION move");
    }

    private static void run(TestOutbox outbox, String sql) throws SQLException {
        try (Connection connection = outbox.database().as("postgres").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
