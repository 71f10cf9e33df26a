package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.InBackground;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

class OutboxMigrationsTest {

    /** One character more than PostgreSQL keeps of a name. */
    private static final String TOO_LONG = "a123456789b123456789c123456789d123456789e123456789f123456789g123";

    private static final OutboxSchema AUDIT = new OutboxSchema("audit");

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final JdbcClient sql = JdbcClient.create(database.dataSource());

    @AfterEach
    void close() {
        database.close();
    }

    /** All but those with a row per aggregate, handler, stream, instance, claim, partition or replay, and the queue. */
    @Test
    void tablesThatGrowWithEventsAreVacuumedEarly() {
        migrations(OutboxSchema.DEFAULT).migrate();

        assertThat(sql.sql("""
                        SELECT relname
                          FROM pg_class
                         WHERE relnamespace IN ('events'::regnamespace, 'audit'::regnamespace)
                           AND reloptions @> ARRAY['autovacuum_vacuum_scale_factor=0.02',
                                                   'autovacuum_vacuum_insert_scale_factor=0.02']
                        """).query(String.class).list())
                .containsExactlyInAnyOrder(
                        "outbox_published", "outbox_delivery", "processed_event", "outbox_operation", "events");
    }

    @Test
    void migratingAgainChangesNothing() {
        migrations(OutboxSchema.DEFAULT).migrate();
        migrations(OutboxSchema.DEFAULT).migrate();

        assertThat(sql.sql("SELECT count(*) FROM events.outbox_schema_history WHERE type = 'SQL'")
                        .query(Integer.class)
                        .single())
                .isEqualTo(TableModule.OUTBOX.scripts().size());
    }

    @Test
    void sequenceThatCachesIdsIsRefused() {
        migrations(OutboxSchema.DEFAULT).migrate();
        sql.sql("ALTER SEQUENCE events.outbox_id_seq CACHE 20").update();

        assertThatThrownBy(() -> migrations(OutboxSchema.DEFAULT).validate())
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("blocks of 20")
                .hasMessageContaining("ALTER SEQUENCE \"events\".outbox_id_seq CACHE 1");
        assertThatThrownBy(() -> migrations(OutboxSchema.DEFAULT).migrate())
                .isInstanceOf(OutboxConfigurationException.class);
    }

    @Test
    @Tag("full")
    void severalInstancesMayStartAtOnce() {
        List<CompletableFuture<Boolean>> instances = IntStream.range(0, 8)
                .mapToObj((i) -> InBackground.run(() -> {
                    migrations(OutboxSchema.DEFAULT).migrate();
                    return true;
                }))
                .toList();

        assertThat(instances).allMatch(InBackground::result);
        assertThatCode(() -> migrations(OutboxSchema.DEFAULT).validate()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"billing_events", "public", "select", "_x1"})
    void schemaMayHaveAnotherName(String name) {
        OutboxSchema schema = new OutboxSchema(name);
        migrations(schema).migrate();

        assertThat(relations(name)).contains("outbox", "outbox_status");
        assertThat(relations("events")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1a", "a-b", "a b", "a\"b", "pg_outbox", "a;drop", "schéma", "Events", TOO_LONG})
    void unusableSchemaNamesAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OutboxSchema(name))
                .withMessageContaining("schema name");
    }

    @Test
    void schemaMayHoldOtherTablesAndTheDatabaseAnotherHistory() {
        sql.sql("CREATE SCHEMA events").update();
        sql.sql("CREATE TABLE events.of_the_application (id int)").update();
        sql.sql("CREATE TABLE public.flyway_schema_history (id int)").update();
        migrations(OutboxSchema.DEFAULT).migrate();

        assertThat(relations("events")).contains("outbox", "of_the_application");
    }

    @Test
    void validationNamesTheCommandWhoseSqlIsAllThereIsToDo() {
        assertThatThrownBy(() -> migrations(OutboxSchema.DEFAULT).validate())
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("outbox.migrate")
                .hasMessageContaining("run the SQL that this command prints:\n\n    java -jar outbox-core.jar\n");
        assertThat(relations("events")).isEmpty();
        sql.sql(PlainSql.sql().replace("?", "??")).update();
        assertThatCode(() -> migrations(OutboxSchema.DEFAULT).validate()).doesNotThrowAnyException();
        assertThatCode(() -> migrations(OutboxSchema.DEFAULT).migrate()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "payload = '{}'",
                "headers = '{\"a\": \"b\"}'",
                "event_type = 'Other'",
                "aggregate_id = 'other'",
                "aggregate_seq = 9",
                "event_id = gen_random_uuid()",
                "occurred_at = now()",
                "stream = 'other'",
                "id = 99"
            })
    void whatWasPublishedCannotBeChanged(String assignment) {
        migrations(OutboxSchema.DEFAULT).migrate();
        sql.sql("INSERT INTO events.outbox (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)"
                        + " VALUES ('order', '1', 1, 'OrderPlaced', '{\"number\": 1}')")
                .update();

        assertThatThrownBy(
                        () -> sql.sql("UPDATE events.outbox SET " + assignment).update())
                .isInstanceOf(DataAccessException.class)
                .hasMessageContaining("immutable");
        assertThatThrownBy(() -> sql.sql("UPDATE events.outbox_unpublished SET " + assignment)
                        .update())
                .hasMessageContaining("immutable");
        assertThatCode(() ->
                        sql.sql("UPDATE events.outbox SET attempt_count = 1").update())
                .doesNotThrowAnyException();
    }

    @Test
    void missingModuleOfFlywayIsNamed() {
        assertThat((Throwable) DatabaseProblems.migrating(new FlywayException("Unsupported Database: PostgreSQL 18.6")))
                .hasMessageContaining(
                        "Flyway, which creates and checks the outbox tables, lacks its module for PostgreSQL")
                .hasMessageContaining("remove the exclusion of org.flywaydb:flyway-database-postgresql");
    }

    /** An upgrade of the C library may change the order of any other collation, and indexes with it would be corrupt. */
    @Test
    void noIndexDependsOnTheLanguageOfTheDatabase() {
        migrations(OutboxSchema.DEFAULT).migrate();

        assertThat(sql.sql("""
                                SELECT i.indexrelid::regclass::text
                                  FROM pg_index i
                                  JOIN pg_class c ON c.oid = i.indexrelid
                                  JOIN pg_namespace n ON n.oid = c.relnamespace
                                 WHERE n.nspname IN ('events', 'audit')
                                   AND EXISTS (SELECT
                                                 FROM unnest(i.indcollation::oid[]) AS used (oid)
                                                WHERE used.oid NOT IN (0, 'pg_catalog."C"'::regcollation))
                                """).query(String.class).list()).isEmpty();
    }

    private OutboxMigrations migrations(OutboxSchema schema) {
        return new OutboxMigrations(database.dataSource(), schema, AUDIT);
    }

    private List<String> relations(String schema) {
        return sql.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = ?")
                .param(schema)
                .query(String.class)
                .list();
    }
}
