package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.MigratedDatabases;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Errors name the privilege that a role lacks. */
@Tag("full")
class MissingPrivilegesTest {

    private static final OutboxSchema AUDIT = new OutboxSchema("audit");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox worker = outbox.another("outbox_worker").handler("mail", "OrderPlaced", (event) -> {});

    @Test
    void workerDoesNotStartAndNamesAllThatItLacks() {
        outbox.update("REVOKE DELETE ON events.outbox_claim FROM outbox_worker");
        outbox.update("REVOKE UPDATE ON events.outbox_stream FROM outbox_worker");

        assertThatThrownBy(worker::start)
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageStartingWith(
                        "role outbox_worker may not deliver events: it lacks DELETE on events.outbox_claim,"
                                + " UPDATE on events.outbox_stream; grant it what dev/outbox/grants.sql gives to a worker");
        assertThat(worker.runtime().isRunning()).isFalse();

        outbox.database().grant(MigratedDatabases.grants());
        worker.start();
        assertThat(worker.runtime().isRunning()).isTrue();
    }

    @Test
    void everyPrivilegeOfWorkersIsChecked() {
        WorkerPrivileges privileges = new WorkerPrivileges(worker.dataSource(), OutboxSchema.DEFAULT, AUDIT);
        List<String> relations = outbox.values(String.class, """
                        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE '' END || n.nspname || '.' || c.relname
                          FROM pg_class c
                          JOIN pg_namespace n ON n.oid = c.relnamespace
                         CROSS JOIN aclexplode(c.relacl) acl
                         WHERE n.nspname IN ('events', 'audit')
                           AND acl.grantee = 'outbox_worker'::regrole
                           AND c.relname NOT IN ('outbox_schema_history', 'outbox_status')
                         GROUP BY 1
                        """);
        assertThat(relations).hasSizeGreaterThan(15);

        for (String relation : relations) {
            outbox.update("REVOKE ALL ON " + relation + " FROM outbox_worker");
            assertThatThrownBy(privileges::check)
                    .as(relation)
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining(" on " + relation.replace("SEQUENCE ", ""));
            outbox.database().grant(MigratedDatabases.grants());
        }
        assertThatCode(privileges::check).doesNotThrowAnyException();
    }

    @Test
    void refusesWorkerWithoutUsageOfTheSchema() {
        outbox.update("REVOKE USAGE ON SCHEMA audit FROM outbox_worker");

        assertThatThrownBy(worker::start)
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("it lacks USAGE on schema audit;");
    }

    @Test
    void applicationChecksTablesItDoesNotOwn() {
        OutboxMigrations migrations = new OutboxMigrations(worker.dataSource(), OutboxSchema.DEFAULT, AUDIT);

        assertThatCode(migrations::validate).doesNotThrowAnyException();
        assertThatCode(migrations::migrate).doesNotThrowAnyException();
    }

    @Test
    void refusesApplicationThatMayNotReadTheVersion() {
        outbox.update("REVOKE ALL ON events.outbox_schema_history FROM outbox_worker");
        OutboxMigrations migrations = new OutboxMigrations(worker.dataSource(), OutboxSchema.DEFAULT, AUDIT);

        assertThatThrownBy(migrations::validate)
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("refused to read the version of the outbox tables")
                .hasMessageContaining("permission denied for table outbox_schema_history");
    }

    @Test
    void refusesApplicationThatMayNotMigrate() {
        try (TestDatabase empty = TestPostgres.shared().newDatabase()) {
            OutboxMigrations migrations =
                    new OutboxMigrations(empty.as(empty.application()), OutboxSchema.DEFAULT, AUDIT);

            assertThatThrownBy(migrations::migrate)
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining("permission denied for database")
                    .hasMessageContaining("outbox.migrate=false");
        }
    }
}
