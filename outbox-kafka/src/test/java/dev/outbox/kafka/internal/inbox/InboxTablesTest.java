package dev.outbox.kafka.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.internal.received.ReceivedStore;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.schema.PlainSql;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.kafka.fixture.Receiver;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tables of inboxes beside those of an outbox. */
@ExtendWith(OutputCaptureExtension.class)
class InboxTablesTest {

    @Test
    void printedSqlReplacesTheMigration(CapturedOutput output) {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            new OutboxMigrations(database.dataSource(), OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE).migrate();
            JdbcClient sql = JdbcClient.create(database.dataSource());
            assertThat(tables(sql)).doesNotContain("outbox_received", "outbox_inbox_offset");
            Map<String, OutboxMigrations> modules = Map.of(
                    "forwarding",
                    migrations(ReceivedStore.TABLES, database),
                    "kafka",
                    migrations(Inbox.TABLES, database));
            modules.forEach((name, migrations) -> assertThatThrownBy(migrations::validate)
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining("V1__" + name + ".sql did not run")
                    .hasMessageMatching("(?s).*java -cp outbox-core(-\\S+)?\\.jar:outbox-" + name
                            + "\\1?\\.jar dev\\.outbox\\.internal\\.schema\\.PlainSql --module=" + name + "\n.*"));

            int before = output.getOut().length();
            PlainSql.main(new String[] {"--module=forwarding", "--module=kafka"});
            sql.sql(output.getOut().substring(before)).update();
            modules.values().forEach(OutboxMigrations::validate);
            modules.values().forEach(OutboxMigrations::migrate);
            assertThat(tables(sql))
                    .contains(
                            "outbox_received",
                            "outbox_forwarding_schema_history",
                            "outbox_inbox_offset",
                            "outbox_kafka_schema_history");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRUNCATE", "DROP TABLE"})
    void lostHistoryIsExplained(String cleaner) {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            new OutboxMigrations(database.dataSource(), OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE).migrate();
            JdbcClient sql = JdbcClient.create(database.dataSource());
            OutboxMigrations migrations = migrations(Inbox.TABLES, database);
            migrations.migrate();
            sql.sql(cleaner + " events.outbox_kafka_schema_history").update();

            assertThatThrownBy(migrations::validate)
                    .hasMessageContaining("their history outbox_kafka_schema_history is empty or missing");
            assertThatThrownBy(migrations::migrate).isInstanceOfSatisfying(OutboxConfigurationException.class, (ex) -> {
                assertThat(ex).hasMessageContaining("their history outbox_kafka_schema_history is empty or missing");
                sql.sql(ex.sql()).update();
            });
            migrations.migrate();
            migrations.validate();
        }
    }

    @Test
    void scriptsAreNotWhereApplicationsHaveTheirs() throws IOException {
        assertThat(new PathMatchingResourcePatternResolver().getResources("classpath*:db/**/*.sql"))
                .isEmpty();
    }

    @Test
    void everyTableIsGrantedToReaders() {
        try (Receiver receiver = new Receiver(Receiver.settings(null, Late.DEAD_LETTER, UnknownTypes.DEAD_LETTER))) {
            assertThat(receiver.sql().sql("""
                                    SELECT c.relname
                                      FROM pg_class c
                                     WHERE c.relnamespace = 'events'::regnamespace
                                       AND c.relkind = 'r'
                                       AND NOT has_any_column_privilege('outbox_reader', c.oid, 'SELECT')
                                    """).query(String.class).list()).isEmpty();
        }
    }

    private static OutboxMigrations migrations(TableModule module, TestDatabase database) {
        return new OutboxMigrations(module, database.dataSource(), OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE);
    }

    private static List<String> tables(JdbcClient sql) {
        return sql.sql("SELECT relname FROM pg_class WHERE relnamespace = 'events'::regnamespace AND relkind = 'r'")
                .query(String.class)
                .list();
    }
}
