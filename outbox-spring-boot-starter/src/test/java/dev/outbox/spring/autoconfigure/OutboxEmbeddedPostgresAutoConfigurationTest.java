package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.h2.Driver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

@ExtendWith(OutputCaptureExtension.class)
class OutboxEmbeddedPostgresAutoConfigurationTest {

    @Test
    void applicationThatNamesNoDatabaseGetsOneUntilItEnds(CapturedOutput output) {
        AtomicReference<String> url = new AtomicReference<>();
        List<String> ofASlowServer = new ArrayList<>();
        Applications.withoutDatabase()
                .withBean(Subscriptions.class)
                .withBean(Licensing.class)
                .run((context) -> {
                    url.set(context.getBean(EmbeddedServer.class).getJdbcUrl());
                    assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
                    assertThat(context.getBean(HikariDataSource.class).getJdbcUrl())
                            .isEqualTo(url.get());
                    assertThat(List.of("fsync", "synchronous_commit", "full_page_writes"))
                            .allSatisfy((setting) -> assertThat(context.getBean(JdbcClient.class)
                                            .sql("SHOW " + setting)
                                            .query(String.class)
                                            .single())
                                    .isEqualTo("on"));
                    assertThat(output)
                            .containsOnlyOnce("No database is configured: started an embedded PostgreSQL")
                            .contains("set spring.datasource.url");

                    context.getBean(Subscriptions.class).start("1", "gold");
                    await().untilAsserted(() ->
                            assertThat(context.getBean(Licensing.class).plans).containsExactly("1:gold"));
                    warnings(output).stream()
                            .filter((line) -> line.contains("retrying with backoff"))
                            .forEach(ofASlowServer::add);
                });

        assertThatThrownBy(() -> DriverManager.getConnection(url.get(), "postgres", "postgres"))
                .isInstanceOf(SQLException.class);
        assertThat(warnings(output))
                .filteredOn((line) -> !line.contains("thread is abandoned"))
                .isEqualTo(ofASlowServer);
    }

    private static List<String> warnings(CapturedOutput output) {
        return output.toString().lines().filter((line) -> line.contains("WARN")).toList();
    }

    @Test
    void applicationThatNamesItsDatabaseKeepsIt() {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            Applications.on(database).run((context) -> assertThat(context).doesNotHaveBean(EmbeddedServer.class));
            Applications.withoutDatabase()
                    .withClassLoader(new FilteredClassLoader(Driver.class))
                    .withPropertyValues("spring.datasource.hikari.jdbc-url=" + database.jdbcUrl())
                    .run((context) -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .hasMessageContaining("Failed to determine a suitable driver class"));
        }
    }

    @Test
    void dataSourceOfTheApplicationIsEnough() {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            Applications.withoutDatabase()
                    .withBean(DataSource.class, database::dataSource)
                    .run((context) -> assertThat(context)
                            .hasSingleBean(OutboxPublisher.class)
                            .doesNotHaveBean(EmbeddedServer.class));
        }
    }

    @Test
    void withoutEmbeddedPostgresSpringBootDecides() {
        Applications.withoutDatabase()
                .withClassLoader(new FilteredClassLoader(EmbeddedPostgres.class, Driver.class))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Failed to determine a suitable driver class"));
    }

    @Test
    void disabledOutboxStartsNoDatabase() {
        Applications.withoutDatabase()
                .withClassLoader(new FilteredClassLoader(Driver.class))
                .withPropertyValues("outbox.enabled=false")
                .run((context) -> assertThat(context).hasFailed());
    }
}
