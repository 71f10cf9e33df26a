package dev.outbox.test.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Migrations of the application that have a connection of their own. */
class EmbeddedMigrationsTest {

    private static final String REAL = "jdbc:postgresql://production.invalid/shop";

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    EmbeddedDatabaseAutoConfiguration.class,
                    EmbeddedMigrationsAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    FlywayAutoConfiguration.class))
            .withPropertyValues(AutoConfigureOutbox.DATABASE + "=EMBEDDED");

    @Test
    void flywayWithAnotherUrlMigratesTheTestDatabase() {
        context.withPropertyValues("spring.flyway.url=" + REAL, "spring.flyway.user=owner")
                .run((started) -> assertThat(url(started.getBean(Flyway.class)))
                        .isEqualTo(started.getBean(EmbeddedDatabase.class).getJdbcUrl()));
    }

    @Test
    void flywayWithAnotherUserMigratesTheTestDatabase() {
        context.withPropertyValues("spring.flyway.user=owner")
                .run((started) -> assertThat(url(started.getBean(Flyway.class)))
                        .isEqualTo(started.getBean(EmbeddedDatabase.class).getJdbcUrl()));
    }

    @Test
    void liquibaseWithAnotherUrlMigratesTheTestDatabase() {
        context.withPropertyValues("spring.liquibase.url=" + REAL)
                .run((started) -> assertThat(started.getBean(LiquibaseConnectionDetails.class)
                                .getJdbcUrl())
                        .isEqualTo(started.getBean(EmbeddedDatabase.class).getJdbcUrl()));
    }

    @Test
    void configuredDatabaseKeepsTheConnectionOfItsMigrations() {
        context.withPropertyValues(
                        AutoConfigureOutbox.DATABASE + "=CONFIGURED",
                        "spring.flyway.url=" + REAL,
                        "spring.flyway.enabled=false",
                        "spring.datasource.url=" + REAL)
                .run((started) -> assertThat(started)
                        .hasNotFailed()
                        .doesNotHaveBean(EmbeddedDatabase.class)
                        .doesNotHaveBean("outboxTestFlyway")
                        .hasSingleBean(JdbcConnectionDetails.class)
                        .doesNotHaveBean(FlywayConnectionDetails.class));
    }

    private static String url(Flyway flyway) throws Exception {
        try (var connection = flyway.getConfiguration().getDataSource().getConnection()) {
            return connection.getMetaData().getURL();
        }
    }
}
