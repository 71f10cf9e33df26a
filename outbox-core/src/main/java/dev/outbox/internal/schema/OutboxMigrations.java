package dev.outbox.internal.schema;

import dev.outbox.internal.failure.SqlFailures;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.OutboxSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Creates and updates the outbox tables, or checks their version. Flyway runs with its own history table, {@code outbox_schema_history},
 * apart from the application's migrations; its lock lets several instances start at once.
 */
public final class OutboxMigrations {

    private static final Logger log = LoggerFactory.getLogger(OutboxMigrations.class);

    /** Location of the migrations on the class path. */
    public static final String LOCATION = "db/outbox";

    static final String HISTORY = "outbox_schema_history";

    private static final String MAY_NOT_MIGRATE =
            "let a role that owns the tables migrate them and set outbox.migrate=false here,"
                    + " or grant CREATE on the database";
    private static final String MAY_NOT_READ =
            "grant the role of the application what db/outbox/grants.sql gives to a publisher, a worker or a reader";

    private final OutboxSchema schema;
    private final OutboxSchema archiveSchema;
    private final ArchiveTable archive;
    private final Map<String, String> placeholders;
    private final Flyway flyway;

    /** Prepares the migrations without running any. */
    public OutboxMigrations(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.schema = schema;
        this.archiveSchema = archiveSchema;
        this.archive = new ArchiveTable(dataSource, archiveSchema);
        this.placeholders = Map.of(
                "schema", schema.quoted(), "schema_name", schema.name(), "archive_schema", archiveSchema.quoted());
        this.flyway = Flyway.configure(OutboxMigrations.class.getClassLoader())
                .dataSource(dataSource)
                .schemas(schema.name(), archiveSchema.name())
                .defaultSchema(schema.name())
                .table(HISTORY)
                .locations("classpath:" + LOCATION)
                .placeholders(placeholders)
                // The schema may hold other tables already.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .cleanDisabled(true)
                .load();
    }

    /** Updates the tables, or waits until another instance has done so. */
    public void migrate() {
        run("create or update the outbox tables", MAY_NOT_MIGRATE, () -> {
            archive.checkIfPresent();
            FaultPoint.BEFORE_MIGRATION.reached();
            flyway.migrate();
            FaultPoint.AFTER_MIGRATION.reached();
            checkArchive();
        });
    }

    /** Checks that the tables are up to date. */
    public void validate() {
        run("read the version of the outbox tables", MAY_NOT_READ, this::check);
    }

    private void check() {
        archive.checkIfPresent();
        MigrationInfo[] pending = flyway.info().pending();
        if (pending.length > 0) {
            throw new SchemaOutdatedException(
                    "the outbox tables in schema " + schema.quoted() + " are not up to date: "
                            + Arrays.stream(pending)
                                    .map(MigrationInfo::getScript)
                                    .collect(Collectors.joining(", "))
                            + " did not run, and outbox.migrate is false",
                    sql(pending));
        }
        flyway.validate();
        checkArchive();
    }

    private static void run(String task, String remedy, Runnable work) {
        try {
            work.run();
        } catch (FlywayException | DataAccessException ex) {
            RuntimeException missing = SqlFailures.missingPrivilege(task, remedy, ex);
            throw missing != null ? missing : ex;
        }
    }

    private void checkArchive() {
        archive.check();
        List<String> others = archive.otherOwners(schema);
        if (!others.isEmpty()) {
            log.warn(
                    "The outbox in schema {} shares its archive in schema {} with the outboxes in schemas {}; if that is not"
                            + " intended, set outbox.retention.archive-schema",
                    schema.quoted(),
                    archiveSchema.quoted(),
                    others);
        }
    }

    /** Returns what Flyway would do, including its history, for operators who run migrations themselves. */
    private String sql(MigrationInfo[] pending) {
        StringBuilder sql = new StringBuilder("""
                CREATE SCHEMA IF NOT EXISTS %1$s;
                CREATE SCHEMA IF NOT EXISTS %2$s;
                CREATE TABLE IF NOT EXISTS %1$s.%3$s (
                    installed_rank integer       NOT NULL CONSTRAINT %3$s_pk PRIMARY KEY,
                    version        varchar(50),
                    description    varchar(200)  NOT NULL,
                    type           varchar(20)   NOT NULL,
                    script         varchar(1000) NOT NULL,
                    checksum       integer,
                    installed_by   varchar(100)  NOT NULL,
                    installed_on   timestamp     NOT NULL DEFAULT now(),
                    execution_time integer       NOT NULL,
                    success        boolean       NOT NULL
                );
                CREATE INDEX IF NOT EXISTS %3$s_s_idx ON %1$s.%3$s (success);
                """.formatted(schema.quoted(), archiveSchema.quoted(), HISTORY));
        for (MigrationInfo migration : pending) {
            sql.append('\n').append(script(migration)).append("""

                    INSERT INTO %1$s.%2$s
                           (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
                    SELECT coalesce(max(installed_rank), 0) + 1, %3$s, '%4$s', 'SQL', '%5$s', %6$d, current_user, 0, true
                      FROM %1$s.%2$s;
                    """.formatted(
                            schema.quoted(),
                            HISTORY,
                            migration.getVersion() == null ? "NULL" : "'" + migration.getVersion() + "'",
                            migration.getDescription(),
                            migration.getScript(),
                            migration.getChecksum()));
        }
        return sql.toString();
    }

    private String script(MigrationInfo migration) {
        String path = LOCATION + "/" + migration.getScript();
        try (InputStream script = OutboxMigrations.class.getClassLoader().getResourceAsStream(path)) {
            if (script == null) {
                throw new IllegalStateException("migration " + path + " is not on the class path");
            }
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            for (Map.Entry<String, String> placeholder : placeholders.entrySet()) {
                text = text.replace("${" + placeholder.getKey() + "}", placeholder.getValue());
            }
            return text;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
