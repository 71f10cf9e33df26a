package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.FailureReports.analyze;
import static dev.outbox.spring.autoconfigure.FailureReports.assertReport;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.schema.PlainSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.util.StringUtils;

/** Databases that the outbox cannot use: the start fails before the first migration statement and says what to do. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class DatabaseMistakesTest {

    @AutoClose
    private final TestDatabase database = TestPostgres.shared().newDatabase();

    private final JdbcClient sql = JdbcClient.create(database.dataSource());

    @Test
    void databaseIsNotPostgres() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:shop", "sa", "")) {
            assertReport(
                    "not-postgresql",
                    analyze(Applications.withoutDatabase()
                            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:shop")));

            assertThat(connection.getMetaData().getSchemas(null, "%vents").next())
                    .isFalse();
        }
    }

    @Test
    void serverIsTooOld() {
        DataSource old = new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                return fourteen(super.getConnection());
            }
        };

        assertReport(
                "too-old",
                analyze(Applications.withoutDatabase().withBean(DataSource.class, () -> new OpaqueDataSource(old))),
                database.jdbcUrl(),
                "jdbc:postgresql://localhost:5432/shop");
        assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CockroachDB CCL v26.2.5 (x86_64-pc-linux-gnu, built 2026/07/20 10:12:41, go1.25.5)",
                "PostgreSQL 15.2-YB-2.25.0.0-b0 on aarch64-unknown-linux-gnu, compiled by clang version 17.0.6, 64-bit"
            })
    void engineOnlySpeaksTheProtocol(String version) {
        sql.sql("CREATE FUNCTION public.version() RETURNS text LANGUAGE sql AS $$ SELECT '%s'::text $$"
                        .formatted(version))
                .update();
        sql.sql("ALTER DATABASE %s SET search_path = public, pg_catalog".formatted(database.name()))
                .update();

        assertReport(
                "another-engine",
                analyze(Applications.on(database)),
                database.jdbcUrl(),
                "jdbc:postgresql://localhost:5432/shop",
                version,
                "CockroachDB CCL v26.2.5");
        assertUnchanged();
    }

    /** Claims to be of version 14. */
    private static Connection fourteen(Connection connection) throws SQLException {
        DatabaseMetaData real = connection.getMetaData();
        DatabaseMetaData old = proxy(DatabaseMetaData.class, real, "getDatabaseMajorVersion", 14);
        return proxy(
                Connection.class,
                connection,
                "getMetaData",
                proxy(DatabaseMetaData.class, old, "getDatabaseProductVersion", "14.24"));
    }

    private static <T> T proxy(Class<T> type, T target, String method, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> {
                    try {
                        return called.getName().equals(method) ? answer : called.invoke(target, arguments);
                    } catch (InvocationTargetException ex) {
                        throw ex.getTargetException();
                    }
                }));
    }

    /** A server that trusts its clients refuses a role that does not exist; others also refuse a wrong password. */
    @Test
    void loginIsRefused(CapturedOutput output) {
        FailureAnalysis analysis = analyze(Applications.on(database)
                .withPropertyValues("spring.datasource.username=nobody", "spring.datasource.password=guess"));

        assertThat(analysis.getDescription())
                .startsWith("The outbox cannot log in to " + database.jdbcUrl() + " as nobody: FATAL: ");
        assertThat(analysis.getAction())
                .isEqualTo(
                        "Check spring.datasource.username and spring.datasource.password, and whether pg_hba.conf of the"
                                + " server lets this user in.");
        assertThat(output).doesNotContain("guess");
    }

    @Test
    void serverIsUnreachable() {
        assertReport(
                "unreachable",
                analyze(Applications.on(database)
                        .withPropertyValues(
                                "spring.datasource.url=jdbc:postgresql://localhost:1/shop?connectTimeout=5")));
    }

    @Test
    void directUrlIsUnreachable() {
        FailureAnalysis analysis = analyze(Applications.on(database)
                .withPropertyValues("outbox.direct-url=jdbc:postgresql://localhost:1/shop?connectTimeout=5"));

        assertThat(analysis.getDescription())
                .startsWith("The outbox cannot reach jdbc:postgresql://localhost:1/shop: ");
        assertThat(analysis.getAction())
                .isEqualTo(
                        "Start the server, or correct the host and port in outbox.direct-url; a firewall may also be in"
                                + " the way.");
    }

    @Test
    void directUrlIsNoJdbcUrl() {
        FailureAnalysis analysis = analyze(Applications.on(database)
                .withPropertyValues("outbox.direct-url=postgresql://ann:secret@localhost/shop"));

        assertThat(analysis.getDescription()).isEqualTo("The property outbox.direct-url is no JDBC URL.");
        assertThat(analysis.getAction())
                .isEqualTo(
                        "Set it to that of PostgreSQL itself, such as jdbc:postgresql://host:5432/database, or remove it"
                                + " if no pooler stands in between.");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void directUrlLeadsToAnotherDatabase(boolean migrated) {
        if (migrated) {
            Applications.on(database).run((context) -> assertThat(context).hasNotFailed());
        }
        try (TestDatabase other = TestPostgres.shared().newDatabase()) {
            FailureAnalysis analysis =
                    analyze(Applications.on(database).withPropertyValues("outbox.direct-url=" + other.jdbcUrl()));

            assertThat(analysis.getDescription())
                    .isEqualTo("The property outbox.direct-url leads to database " + other.name()
                            + ", and the DataSource to database " + database.name() + ".");
            assertThat(analysis.getAction())
                    .isEqualTo("Correct the host, port or database name in outbox.direct-url, so that both lead to the"
                            + " database of the events.");
            assertThat(JdbcClient.create(other.dataSource())
                            .sql("SELECT to_regnamespace('events')::text")
                            .query(String.class)
                            .list())
                    .containsOnlyNulls();
        }
    }

    @Test
    void databaseDoesNotExist() {
        assertReport(
                "missing-database",
                analyze(Applications.on(database)
                        .withPropertyValues(
                                "spring.datasource.url=" + database.jdbcUrl().replace(database.name(), "shopp"))),
                database.jdbcUrl().replace(database.name(), "shopp"),
                "jdbc:postgresql://localhost:5432/shopp");
    }

    @Test
    void roleMayNotCreateTheSchemas() {
        FailureAnalysis analysis = analyze(asApplication());

        assertReport("may-not-create", analysis, database.name(), "shop", database.application(), "shop_app");
        assertUnchanged();
        sql.sql("GRANT CREATE ON DATABASE " + database.name() + " TO " + database.application())
                .update();
        asApplication().run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void roleMayNotUseTheSchemas() {
        sql.sql("CREATE SCHEMA events").update();
        sql.sql("CREATE SCHEMA audit").update();

        assertReport(
                "may-not-use-schemas",
                analyze(asApplication()),
                database.name(),
                "shop",
                database.application(),
                "shop_app");
        assertThat(tables()).isEmpty();
    }

    @Test
    void roleMayNotReadTheVersion() {
        new OutboxMigrations(database.dataSource(), OutboxSchema.DEFAULT, new OutboxSchema("audit")).migrate();

        assertReport(
                "may-not-read",
                analyze(asApplication().withPropertyValues("outbox.migrate=false")),
                database.name(),
                "shop",
                database.application(),
                "shop_app");
    }

    @Test
    void tablesAreBehindAndTheCommandForTheirSqlIsPrinted(CapturedOutput output) {
        // A build that does not package its modules runs classes outside a JAR.
        String file = StringUtils.getFilename(PlainSql.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        assertReport(
                "tables-behind",
                analyze(Applications.on(database).withPropertyValues("outbox.migrate=false")),
                "-jar " + (file.endsWith(".jar") ? file : "outbox-core.jar"),
                "-jar <JAR>");
        assertThat(output).doesNotContain("CREATE TABLE");
        Applications.on(database)
                .withPropertyValues("outbox.migrate=false")
                .run((context) ->
                        assertThat(context).getFailure().rootCause().isInstanceOf(OutboxConfigurationException.class));
        assertUnchanged();
    }

    @Test
    void newerTablesAreReportedButStart(CapturedOutput output) {
        Applications.on(database).run((context) -> assertThat(context).hasNotFailed());
        sql.sql(
                        "INSERT INTO events.outbox_schema_history SELECT 9, '2', 'more', 'SQL', 'V2__more.sql', 1, 'dba', now(), 1, true")
                .update();
        for (String migrate : List.of("true", "false")) {
            Applications.on(database)
                    .withPropertyValues("outbox.migrate=" + migrate)
                    .run((context) -> assertThat(context).hasNotFailed());
        }

        assertThat(output.toString()
                        .split(
                                "The outbox tables in schema \"events\" are newer than this version of Outbox:"
                                        + " V2__more.sql ran",
                                -1))
                .hasSize(3);
    }

    @Test
    void clockDiffersFromThatOfTheDatabase(CapturedOutput output) {
        for (int seconds : List.of(30, 90, -90)) {
            Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(seconds));
            Applications.on(database)
                    .withBean(Clock.class, () -> clock)
                    .run((context) -> assertThat(context).hasNotFailed());
        }

        String[] lines = output.toString().split("The clock of this application is ", -1);
        assertThat(lines).hasSize(3);
        assertThat(lines[1]).matches("(?s)(89|90) s ahead of that of the database\\. .*");
        assertThat(lines[2]).matches("(?s)(89|90) s behind that of the database\\. .*");
    }

    @Test
    void tablesAreOfAnotherBuild() {
        Applications.on(database).run((context) -> assertThat(context).hasNotFailed());
        sql.sql("UPDATE events.outbox_schema_history SET checksum = 1 WHERE version = '1'")
                .update();

        assertReport("another-build", analyze(Applications.on(database)));
    }

    @ParameterizedTest
    @CsvSource({
        "TRUNCATE events.outbox_schema_history, true",
        "TRUNCATE events.outbox_schema_history, false",
        "DROP TABLE events.outbox_schema_history, true",
        "DROP TABLE events.outbox_schema_history, false"
    })
    void historyIsLost(String cleaner, boolean migrate) {
        Applications.on(database).run((context) -> assertThat(context).hasNotFailed());
        sql.sql("INSERT INTO events.outbox (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)"
                        + " VALUES ('order', '1', 1, 'OrderPlaced', '{}')")
                .update();
        sql.sql(cleaner).update();

        ApplicationContextRunner application =
                Applications.on(database).withPropertyValues("outbox.migrate=" + migrate);
        FailureAnalysis analysis = analyze(application);
        assertThat(analyze(application).getDescription()).isEqualTo(analysis.getDescription());
        String action = String.valueOf(analysis.getAction());
        String history = action.replaceFirst("(?s).* that created them:\\n\\n", "");
        assertReport("lost-history", analysis, history, "<the SQL>");

        sql.sql(history).update();
        for (String later : List.of("true", "false")) {
            Applications.on(database)
                    .withPropertyValues("outbox.migrate=" + later)
                    .run((context) -> assertThat(Applications.count(context, "events.outbox"))
                            .isOne());
        }
    }

    @Test
    void tableOfTheApplicationHasTheName() {
        sql.sql("CREATE SCHEMA events").update();
        sql.sql("CREATE TABLE events.outbox (id bigint)").update();

        assertReport("foreign-table", analyze(Applications.on(database)));
        assertThat(tables()).containsExactly("outbox");

        sql.sql("ALTER TABLE events.outbox RENAME TO outbox_instance").update();

        FailureAnalysis analysis = analyze(Applications.on(database));
        assertThat(analysis.getDescription()).contains("Schema events has a table outbox_instance");
        assertThat(analysis.getAction()).contains("Set outbox.schema to another schema");
        assertThat(tables()).containsExactly("outbox_instance");
    }

    @Test
    void refusedStatementIsNotPrinted(CapturedOutput output) {
        sql.sql("ALTER DATABASE " + database.name() + " SET default_transaction_read_only = on")
                .update();

        assertReport("refused-statement", analyze(Applications.on(database)));
        assertThat(output).doesNotContain("CREATE SCHEMA IF").doesNotContain("CREATE TABLE");
        assertUnchanged();
    }

    private ApplicationContextRunner asApplication() {
        return Applications.on(database).withPropertyValues("spring.datasource.username=" + database.application());
    }

    private void assertUnchanged() {
        assertThat(sql.sql("SELECT nspname FROM pg_namespace WHERE nspname IN ('events', 'audit')")
                        .query(String.class)
                        .list())
                .isEmpty();
        assertThat(tables()).isEmpty();
    }

    private List<String> tables() {
        return sql.sql("SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE n.nspname IN ('events', 'audit', 'public') ORDER BY relname")
                .query(String.class)
                .list();
    }
}
