package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("full")
class ArchiveTableTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final JdbcClient sql = JdbcClient.create(database.dataSource());

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void refusesForeignTableBeforeAnythingIsCreated() {
        sql.sql("CREATE SCHEMA audit").update();
        sql.sql("CREATE TABLE audit.events (id bigint, who text NOT NULL, payload text)")
                .update();

        OutboxConfigurationException refused = catchThrowableOfType(
                OutboxConfigurationException.class,
                () -> migrations("events", "audit").migrate());

        assertThat(refused)
                .hasMessageContaining("\"audit\".events")
                .hasMessageContaining("it has no column outbox_event_id")
                .hasMessageContaining("outbox.retention.archive-schema")
                .hasMessageContaining("rename");
        assertThat(sql.sql("SELECT to_regclass('events.outbox') IS NULL")
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }

    @Test
    void bothWaysOutLeadOut() {
        sql.sql("CREATE SCHEMA audit").update();
        sql.sql("CREATE TABLE audit.events (id bigint)").update();

        assertThatCode(() -> migrations("events", "archive").migrate()).doesNotThrowAnyException();
        assertThat(relations("archive")).contains("events");
        sql.sql("ALTER TABLE audit.events RENAME TO own_events").update();
        assertThatCode(() -> migrations("events", "audit").migrate()).doesNotThrowAnyException();
        assertThat(relations("audit")).contains("events", "own_events");
    }

    @Test
    void archiveMayMoveToAnotherSchemaLater() {
        migrations("events", "audit").migrate();

        assertThatThrownBy(() -> migrations("events", "archive").validate())
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("    java -jar outbox-core.jar --archive-schema=archive --after=1\n");
        sql.sql(PlainSql.sql("--archive-schema=archive", "--after=1").replace("?", "??"))
                .update();
        assertThatCode(() -> migrations("events", "archive").validate()).doesNotThrowAnyException();

        migrations("events", "third").migrate();
        assertThat(relations("third")).contains("events");
    }

    @Test
    void twoOutboxesMayShareAnArchive() {
        migrations("events", "audit").migrate();

        assertThatCode(() -> migrations("billing", "audit").migrate()).doesNotThrowAnyException();
        assertThatCode(() -> migrations("events", "audit").validate()).doesNotThrowAnyException();
    }

    @Test
    void archiveMayBeInTheSchemaOfTheOutbox() {
        migrations("events", "events").start(true);

        assertThatCode(() -> migrations("events", "events").start(false)).doesNotThrowAnyException();
        assertThat(relations("events")).contains("outbox_unpublished", "events");
        assertThat(relations("audit")).isEmpty();
    }

    private OutboxMigrations migrations(String schema, String archive) {
        return new OutboxMigrations(database.dataSource(), new OutboxSchema(schema), new OutboxSchema(archive));
    }

    private List<String> relations(String schema) {
        return sql.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = ?")
                .param(schema)
                .query(String.class)
                .list();
    }
}
