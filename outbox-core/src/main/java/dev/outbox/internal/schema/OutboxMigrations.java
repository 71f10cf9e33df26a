package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Creates and updates the outbox tables, or checks their version. Flyway runs with its own history table, {@code outbox_schema_history},
 * apart from the application's migrations; its lock lets several instances start at once.
 */
public final class OutboxMigrations {

    private static final Logger log = LoggerFactory.getLogger(OutboxMigrations.class);

    /** Location of the migrations on the class path. */
    public static final String LOCATION = "dev/outbox/migration";

    static final String HISTORY = "outbox_schema_history";

    private static final String MAY_NOT_MIGRATE =
            "let a role that owns the tables migrate them and set outbox.migrate=false here,"
                    + " or grant CREATE on the database";
    private static final String MAY_NOT_READ =
            "grant the role of the application what dev/outbox/grants.sql gives to a publisher, a worker or a reader";

    /** Reads the catalog: every role may. */
    private static final String CACHED_IDS = """
            SELECT q.seqcache
              FROM pg_catalog.pg_sequence q
              JOIN pg_catalog.pg_class c ON c.oid = q.seqrelid
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = :schema
               AND c.relname = 'outbox_id_seq'
            """;

    /** Finds a table of the application where the archive belongs. The information schema would hide it from some roles. */
    private static final String FOREIGN_ARCHIVE = """
            SELECT count(*)
              FROM pg_catalog.pg_class c
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = :schema
               AND c.relname = 'events'
               AND NOT EXISTS (SELECT
                                 FROM pg_catalog.pg_attribute a
                                WHERE a.attrelid = c.oid
                                  AND a.attname = 'outbox_event_id')
            """;

    private final TableModule module;
    private final DataSource dataSource;
    private final JdbcClient sql;
    private final OutboxSchema schema;
    private final OutboxSchema archive;
    private final PlainSql plainSql;
    private final Flyway flyway;

    /** Prepares the migrations without running any. */
    public OutboxMigrations(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this(TableModule.OUTBOX, dataSource, schema, archiveSchema);
    }

    /** Prepares the migrations of a module, which run after those of the outbox. */
    public OutboxMigrations(
            TableModule module, DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.module = module;
        this.dataSource = dataSource;
        this.sql = JdbcClient.create(dataSource);
        this.schema = schema;
        this.archive = archiveSchema;
        this.plainSql = new PlainSql(module, schema, archiveSchema);
        this.flyway = Flyway.configure(OutboxMigrations.class.getClassLoader())
                .dataSource(dataSource)
                .schemas(schema.name(), archiveSchema.name())
                .defaultSchema(schema.name())
                .table(module.history())
                .locations("classpath:" + module.location())
                .placeholders(plainSql.placeholders())
                // The schema may hold other tables already.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .cleanDisabled(true)
                .load();
    }

    /** Checks the database before the first statement, then updates the tables or checks their version, and checks their sequences. */
    public void start(boolean migrate) {
        if (module.equals(TableModule.OUTBOX)) {
            new DatabaseCheck(dataSource, schema, archive).run(migrate);
        }
        if (migrate) {
            migrate();
        } else {
            validate();
        }
        checkSequences();
    }

    private void checkSequences() {
        run("compare the sequences of the outbox with its tables", MAY_NOT_READ, () -> {
            try {
                new SequenceCheck(dataSource, schema, archive).run();
            } catch (SQLException ex) {
                throw Causes.translated("advance the sequences of the outbox", MAY_NOT_READ, ex);
            }
        });
    }

    /** Updates the tables, or waits until another instance has done so. */
    public void migrate() {
        run("create or update the outbox tables", MAY_NOT_MIGRATE, () -> {
            checkArchive();
            FaultPoint.BEFORE_MIGRATION.reached();
            if (!areNewer()) {
                flyway.migrate();
            }
            FaultPoint.AFTER_MIGRATION.reached();
            checkOutbox();
        });
    }

    /** Checks that the tables are up to date. */
    public void validate() {
        run("read the version of the outbox tables", MAY_NOT_READ, this::check);
    }

    private void check() {
        checkArchive();
        if (!areNewer()) {
            checkVersion();
        }
        checkOutbox();
    }

    private void checkVersion() {
        MigrationInfo[] pending = flyway.info().pending();
        if (pending.length > 0) {
            if (hasLostHistory()) {
                throw lostHistory(null);
            }
            List<String> scripts =
                    Arrays.stream(pending).map(MigrationInfo::getScript).toList();
            throw new OutboxConfigurationException(
                    "the outbox tables in schema " + schema.quoted() + " are not up to date: "
                            + String.join(", ", scripts) + " did not run, and outbox.migrate is false",
                    "let the owner of the tables run the SQL that this command prints:\n\n    "
                            + plainSql.command(version()) + "\n\nor start once with outbox.migrate=true",
                    null);
        }
        flyway.validate();
    }

    /** Returns the version of the tables; 0 if there are none. */
    private int version() {
        return Arrays.stream(flyway.info().applied())
                .map(MigrationInfo::getVersion)
                .filter(Objects::nonNull)
                .mapToInt((version) -> version.getMajor().intValue())
                .max()
                .orElse(0);
    }

    private void run(String task, String remedy, Runnable work) {
        try {
            work.run();
        } catch (FlywayException | DataAccessException ex) {
            RuntimeException missing = Causes.missingPrivilege(task, remedy, ex);
            if (missing != null) {
                throw missing;
            }
            throw DatabaseProblems.isDuplicate(ex) && hasLostHistory()
                    ? lostHistory(ex)
                    : DatabaseProblems.migrating(ex);
        }
    }

    /** Returns whether no migration has run, and the tables exist. */
    private boolean hasLostHistory() {
        return flyway.info().pending().length == module.scripts().size()
                && sql.sql("SELECT to_regclass(:table) IS NOT NULL")
                        .param("table", schema.quoted() + "." + module.ownTable())
                        .query(Boolean.class)
                        .single();
    }

    /** Explains that the first migration met its own tables. */
    private OutboxConfigurationException lostHistory(@Nullable Exception cause) {
        return new OutboxConfigurationException(
                "the outbox tables exist in schema " + schema.quoted() + ", but their history " + module.history()
                        + " is empty or missing, so that the first migration would run again",
                "let what empties the database, such as the cleaner of a test suite, leave out " + module.history()
                        + "; drop the schemas " + schema.quoted() + " and " + archive.quoted()
                        + " if no event in them matters. To keep the events, let the owner of the tables write the history again, for"
                        + " the version of Outbox that created them",
                plainSql.ofHistory(),
                cause);
    }

    private void checkOutbox() {
        if (module.equals(TableModule.OUTBOX)) {
            checkSequence();
        }
    }

    private void checkArchive() {
        long foreign = sql.sql(FOREIGN_ARCHIVE)
                .param("schema", archive.name())
                .query(Long.class)
                .single();
        if (foreign > 0) {
            throw new OutboxConfigurationException(
                    "table " + archive.quoted()
                            + ".events cannot be the archive of the outbox: it has no column outbox_event_id",
                    "set outbox.retention.archive-schema to another schema, or rename the existing table",
                    null);
        }
    }

    /** A session that caches ids would store a small one after another session's larger one, and claims would deliver it too late. */
    private void checkSequence() {
        long cached = sql.sql(CACHED_IDS)
                .param("schema", schema.name())
                .query(Long.class)
                .single();
        if (cached > 1) {
            String sequence = schema.quoted() + ".outbox_id_seq";
            throw new OutboxConfigurationException(
                    "sequence " + sequence + " hands out its ids in blocks of " + cached
                            + ", so the order of the ids is not the order of the events",
                    "let the owner of the tables run: ALTER SEQUENCE " + sequence + " CACHE 1",
                    null);
        }
    }

    /**
     * Returns whether a newer version has updated the tables, with a warning: an instance of the older version must be able to start again
     * while a deploy of the newer one runs, or is rolled back. It leaves the newer functions as they are.
     */
    private boolean areNewer() {
        List<String> newer = Arrays.stream(flyway.info().applied())
                .filter((migration) -> migration.getState() == MigrationState.FUTURE_SUCCESS)
                .map(MigrationInfo::getScript)
                .toList();
        if (!newer.isEmpty()) {
            log.warn(
                    "The outbox tables in schema {} are newer than this version of Outbox: {} ran. That is intended while a newer version"
                            + " is deployed or rolled back; otherwise upgrade Outbox in this application",
                    schema.quoted(),
                    String.join(", ", newer));
        }
        return !newer.isEmpty();
    }
}
