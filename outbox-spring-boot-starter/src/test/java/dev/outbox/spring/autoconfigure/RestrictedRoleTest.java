package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An application whose role owns no table. */
class RestrictedRoleTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @BeforeEach
    void migrateAsTheOwner() throws IOException {
        new OutboxMigrations(database.dataSource(), OutboxSchema.DEFAULT, new OutboxSchema("audit")).migrate();
        try (InputStream script =
                Objects.requireNonNull(OutboxMigrations.class.getResourceAsStream("/dev/outbox/grants.sql"))) {
            database.grant(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void publishesAndDelivers() {
        application().run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");
            List<String> plans = context.getBean(Licensing.class).plans;
            await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
        });
    }

    @Test
    void missingPrivilegeIsExplained() {
        JdbcClient.create(database.dataSource())
                .sql("REVOKE DELETE ON events.outbox_claim FROM outbox_worker")
                .update();

        FailureAnalysis analysis = FailureReports.analyze(application());

        assertThat(analysis.getCause()).isInstanceOf(OutboxConfigurationException.class);
        assertThat(analysis.getDescription()).contains("it lacks DELETE on events.outbox_claim.");
        assertThat(analysis.getAction()).startsWith("Grant it what dev/outbox/grants.sql gives to a worker");
    }

    @Test
    void applicationWithoutPollerNeedsNoPrivilegeOfWorkers() {
        JdbcClient.create(database.dataSource())
                .sql("REVOKE ALL ON ALL TABLES IN SCHEMA events FROM outbox_worker")
                .update();

        application().withPropertyValues("outbox.poller.enabled=false").run((context) -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Subscriptions.class).start("1", "gold").sequence())
                    .isEqualTo(1);
        });
    }

    private ApplicationContextRunner application() {
        return Applications.withSubscriptionsOn(database)
                .withPropertyValues("spring.datasource.username=" + database.application(), "outbox.migrate=false");
    }
}
