package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.internal.schema.PlainSql;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.testing.OpenTransaction;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import liquibase.integration.spring.SpringLiquibase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Databases whose tables an administrator creates by plain SQL, and whose applications run no DDL. */
class LockedDownDatabaseTest {

    private static final String CHANGELOG = "db/locked/changelog.yaml";

    private static String printed = "";

    @AutoClose
    private final TestDatabase database = TestPostgres.shared().newDatabase();

    /** As an administrator does: nothing but the JAR of the core is on the class path. */
    @BeforeAll
    static void print() throws IOException, InterruptedException, URISyntaxException {
        Path jar = Path.of(PlainSql.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path file = new ClassPathResource(CHANGELOG).getFile().toPath().resolveSibling("outbox-1.sql");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        jar.toString(),
                        PlainSql.class.getName())
                .redirectOutput(file.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        printed = Files.readString(file);
    }

    @Test
    void runsOnTablesOfPlainSql() throws Exception {
        run(printed);

        assertDelivers();
    }

    @Test
    void runsOnTablesOfLiquibase() throws Exception {
        SpringLiquibase liquibase = new SpringLiquibase();
        liquibase.setDataSource(database.dataSource());
        liquibase.setResourceLoader(new DefaultResourceLoader());
        liquibase.setChangeLog("classpath:" + CHANGELOG);
        liquibase.afterPropertiesSet();
        liquibase.afterPropertiesSet();

        assertDelivers();
        assertThat(JdbcClient.create(database.dataSource())
                        .sql("SELECT count(*) FROM databasechangelog")
                        .query(Long.class)
                        .single())
                .isOne();
    }

    @Test
    void applicationWithoutPollerNeedsNoPrivilegeOfWorkers() throws Exception {
        run(printed);
        grant();
        run("REVOKE ALL ON ALL TABLES IN SCHEMA events FROM outbox_worker");

        application().withPropertyValues("outbox.poller.enabled=false").run((context) -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Subscriptions.class).start("1", "gold").sequence())
                    .isEqualTo(1);
        });
    }

    private void run(String script) throws SQLException {
        try (OpenTransaction transaction = OpenTransaction.of(database.dataSource())) {
            transaction.run(script).commit();
        }
    }

    private void assertDelivers() throws IOException {
        grant();
        application().run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");
            List<String> plans = context.getBean(Licensing.class).plans;
            await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
            assertThat(JdbcClient.create(database.as(database.application()))
                            .sql("SELECT has_schema_privilege('events', 'CREATE')")
                            .query(Boolean.class)
                            .single())
                    .isFalse();
        });
    }

    private void grant() throws IOException {
        try (InputStream script =
                Objects.requireNonNull(PlainSql.class.getResourceAsStream("/dev/outbox/grants.sql"))) {
            database.grant(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private ApplicationContextRunner application() {
        return Applications.withSubscriptionsOn(database)
                .withPropertyValues("spring.datasource.username=" + database.application(), "outbox.migrate=false");
    }
}
