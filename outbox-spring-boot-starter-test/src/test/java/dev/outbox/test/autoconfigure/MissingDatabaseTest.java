package dev.outbox.test.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

class MissingDatabaseTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    JdbcClientAutoConfiguration.class,
                    MissingDatabaseAutoConfiguration.class));

    @Test
    void applicationWithoutDatabaseGetsOneUntilItEnds() {
        AtomicReference<String> url = new AtomicReference<>();
        application.run((context) -> {
            url.set(context.getBean(EmbeddedDatabase.class).getJdbcUrl());
            assertThat(context.getBean(JdbcClient.class)
                            .sql("SELECT version()")
                            .query(String.class)
                            .single())
                    .startsWith("PostgreSQL");
        });

        assertThatThrownBy(() -> DriverManager.getConnection(url.get(), "postgres", "postgres"))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void outboxOfAnApplicationWithoutDatabaseStarts() {
        application
                .withConfiguration(AutoConfigurations.of(
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        OutboxAutoConfiguration.class))
                .run((context) -> {
                    assertThat(context).hasNotFailed().hasSingleBean(OutboxPublisher.class);
                    assertThat(context.getBean(JdbcClient.class)
                                    .sql("SELECT count(*) FROM events.outbox")
                                    .query(Long.class)
                                    .single())
                            .isZero();
                });
    }

    @Test
    void applicationKeepsTheDatabaseThatItNames() {
        assertStartsNone(application.withPropertyValues("spring.datasource.url=jdbc:postgresql://localhost:1/shop"));
        assertStartsNone(application.withBean(DataSource.class, SimpleDriverDataSource::new));
        assertStartsNone(application.withBean(JdbcConnectionDetails.class, OwnDatabase::new));
    }

    @Test
    void disabledOutboxStartsNoDatabase() {
        assertStartsNone(application.withPropertyValues("outbox.enabled=false"));
    }

    private static void assertStartsNone(ApplicationContextRunner application) {
        application.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedDatabase.class));
    }

    private static final class OwnDatabase implements JdbcConnectionDetails {

        @Override
        public String getUsername() {
            return "shop";
        }

        @Override
        public String getPassword() {
            return "shop";
        }

        @Override
        public String getJdbcUrl() {
            return "jdbc:postgresql://localhost:1/shop";
        }
    }
}
