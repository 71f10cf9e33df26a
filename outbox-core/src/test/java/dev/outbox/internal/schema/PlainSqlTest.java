package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.OpenTransaction;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tables that an administrator creates by plain SQL, without Flyway. */
@Tag("full")
class PlainSqlTest {

    private static final OutboxSchema AUDIT = OutboxSchema.DEFAULT_ARCHIVE;

    private static final String COLUMNS_AND_CONSTRAINTS = """
            SELECT c.relname || ' ' || c.relkind::text || ' ' || coalesce(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), '')
              FROM pg_class c
              JOIN pg_namespace n ON n.oid = c.relnamespace
              LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
             WHERE n.nspname IN ('events', 'audit')
             UNION ALL
            SELECT conrelid::regclass::text || ' ' || pg_get_constraintdef(oid)
              FROM pg_constraint
             WHERE connamespace IN ('events'::regnamespace, 'audit'::regnamespace)
             ORDER BY 1
            """;

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final JdbcClient sql = JdbcClient.create(database.dataSource());

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void createsWhatTheMigrationsCreate() throws SQLException {
        run(PlainSql.sql());

        try (TestDatabase migrated = TestPostgres.shared().newDatabase()) {
            new OutboxMigrations(migrated.dataSource(), OutboxSchema.DEFAULT, AUDIT).migrate();
            assertThat(relations(sql)).isEqualTo(relations(JdbcClient.create(migrated.dataSource())));
        }
        assertThatCode(migrations(OutboxSchema.DEFAULT)::validate).doesNotThrowAnyException();
        assertThatCode(migrations(OutboxSchema.DEFAULT)::migrate).doesNotThrowAnyException();
        assertThat(sql.sql("SELECT count(*) FROM events.outbox_schema_history")
                        .query(Integer.class)
                        .single())
                .isEqualTo(TableModule.OUTBOX.scripts().size());
    }

    @Test
    void servesOtherNamesAndExistingSchemas() throws SQLException {
        sql.sql("CREATE SCHEMA \"select\"").update();
        run(PlainSql.sql("--schema=select", "--archive-schema=old_events"));

        OutboxMigrations migrations =
                new OutboxMigrations(database.dataSource(), new OutboxSchema("select"), new OutboxSchema("old_events"));
        assertThatCode(migrations::validate).doesNotThrowAnyException();
        assertThat(relations(sql)).isEmpty();
    }

    @Test
    void upgradeThatDidNotRunIsNoticed() throws SQLException {
        run(PlainSql.sql());
        sql.sql("DELETE FROM events.outbox_schema_history WHERE script = 'R__archive.sql'")
                .update();

        assertThatThrownBy(migrations(OutboxSchema.DEFAULT)::validate)
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("R__archive.sql did not run")
                .hasMessageNotContaining("CREATE TABLE \"events\".outbox (");

        run(PlainSql.sql("--after=1"));
        assertThatCode(migrations(OutboxSchema.DEFAULT)::validate).doesNotThrowAnyException();
    }

    @Test
    void tablesOfANewerVersionAreAccepted() throws SQLException {
        run(PlainSql.sql());
        run("""
                INSERT INTO events.outbox_schema_history
                       (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
                VALUES (9, '2', 'newer', 'SQL', 'V2__newer.sql', 1, current_user, 0, true)
                """);

        assertThatCode(migrations(OutboxSchema.DEFAULT)::validate).doesNotThrowAnyException();
    }

    @Test
    void olderReleaseKeepsTheFunctionOfANewerOne() throws SQLException {
        run(PlainSql.sql());
        run("""
                INSERT INTO events.outbox_schema_history
                       (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
                VALUES (10, '2', 'newer', 'SQL', 'V2__newer.sql', 1, current_user, 0, true),
                       (11, NULL, 'publish', 'SQL', 'R__publish.sql', 1, current_user, 0, true)
                """);

        assertThatCode(migrations(OutboxSchema.DEFAULT)::validate).doesNotThrowAnyException();
        assertThatCode(migrations(OutboxSchema.DEFAULT)::migrate).doesNotThrowAnyException();
        assertThat(sql.sql("SELECT max(installed_rank) FROM events.outbox_schema_history")
                        .query(Integer.class)
                        .single())
                .isEqualTo(11);
    }

    @Test
    void changedTextOfAnUpgradeIsNoticed() throws SQLException {
        run(PlainSql.sql());
        sql.sql("UPDATE events.outbox_schema_history SET checksum = 1 WHERE script = 'V1__outbox.sql'")
                .update();

        assertThatThrownBy(migrations(OutboxSchema.DEFAULT)::validate).hasMessageContaining("checksum mismatch");
    }

    @Test
    void explainsWrongOptions() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlainSql.sql("--shema=x"))
                .withMessage("unknown option: --shema=x");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlainSql.sql("--schema=a-b"))
                .withMessageContaining("not a usable schema name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlainSql.sql("--after=one"))
                .withMessageContaining("--after=one");
    }

    private void run(String text) throws SQLException {
        try (OpenTransaction script = OpenTransaction.of(database.dataSource())) {
            script.run(text).commit();
        }
    }

    private static List<String> relations(JdbcClient database) {
        boolean exists = database.sql("SELECT to_regnamespace('events') IS NOT NULL")
                .query(Boolean.class)
                .single();
        return exists
                ? database.sql(COLUMNS_AND_CONSTRAINTS).query(String.class).list()
                : List.of();
    }

    private OutboxMigrations migrations(OutboxSchema schema) {
        return new OutboxMigrations(database.dataSource(), schema, AUDIT);
    }
}
