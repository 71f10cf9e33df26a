package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.OutboxTesterAutoConfiguration;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import dev.outbox.test.autoconfigure.EmbeddedDatabaseAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ContainerDetails;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Contexts on a database that outlives them. */
class SharedDatabaseTest {

    private TestDatabase database;
    private JdbcClient jdbc;
    private ApplicationContextRunner context;

    @BeforeEach
    void createDatabase() {
        database = TestPostgres.shared().newDatabase();
        jdbc = JdbcClient.create(database.dataSource());
        context = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcClientAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        OutboxOperationsAutoConfiguration.class,
                        OutboxTesterAutoConfiguration.class))
                .withUserConfiguration(Orders.class, Counting.class)
                .withPropertyValues(
                        "outbox.poller.enabled=false",
                        "outbox.streams.bulk.aggregate-types=article",
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password());
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void registrationsEndWithTheContext() {
        context.run((started) -> {
            assertThat(registrations()).isEqualTo(1);
            started.getBean(Orders.class).count("lamp");
            assertThat(started.getBean(OutboxTester.class).drain().handled()).isOne();
        });

        assertThat(registrations()).isZero();
        assertThat(ShopTables.count(jdbc, "events.outbox_subscription")).isZero();
    }

    @Test
    void handlerThatATestExpiresIsRegisteredAgain() {
        context.run((started) -> {
            started.getBean(OutboxOperations.class).expireHandler("counting", "test", "try it");
            assertThat(registrations()).isZero();

            started.getBean(OutboxTester.class).cleanUp();

            assertThat(registrations()).isEqualTo(1);
        });
        assertThat(registrations()).isZero();
    }

    @Test
    void registrationsOfOthersStay() {
        context.run((started) -> {});
        jdbc.sql("INSERT INTO events.outbox_handler (id) VALUES ('counting'), ('other')")
                .update();
        jdbc.sql(
                        "INSERT INTO events.outbox_subscription (handler_id, event_type) VALUES ('counting', 'Other'), ('other', 'Other')")
                .update();

        context.run((started) -> assertThat(registrations()).isEqualTo(2));

        assertThat(registrations()).isEqualTo(2);
        assertThat(jdbc.sql("SELECT event_type FROM events.outbox_subscription")
                        .query(String.class)
                        .list())
                .containsExactly("Other", "Other");
    }

    @Test
    void contextFindsNothingOfOneThatDied() {
        context.run((started) -> started.getBean(Orders.class).count("lamp"));
        assertThat(ShopTables.count(jdbc, "events.outbox")).isOne();

        context.run((started) -> assertThat(started.getBean(OutboxTester.class)).publishedNothing());
    }

    @Test
    void databaseThatIsNotOfTheTestIsNotEmptied() {
        context.run((started) -> started.getBean(Orders.class).count("lamp"));

        context.withConfiguration(AutoConfigurations.of(EmbeddedDatabaseAutoConfiguration.class))
                .withPropertyValues(AutoConfigureOutbox.DATABASE + "=EMBEDDED")
                .withBean(DataSource.class, database::dataSource)
                .run((failed) -> assertThat(failed)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("which is not the test database of this context")
                        .hasMessageContaining(database.name())
                        .hasMessageContaining("@AutoConfigureOutbox(database = TestDatabase.CONFIGURED)")
                        .hasMessageNotContaining("password="));
        assertThat(ShopTables.count(jdbc, "events.outbox")).isOne();
    }

    @Test
    void databaseThatIsNotOfTheTestIsNotMigrated() {
        context.withConfiguration(AutoConfigurations.of(EmbeddedDatabaseAutoConfiguration.class))
                .withPropertyValues(AutoConfigureOutbox.DATABASE + "=EMBEDDED", "outbox.migrate=true")
                .withBean(DataSource.class, database::dataSource)
                .run((failed) -> assertThat(failed).hasFailed());
        assertThat(jdbc.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'events'")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    /** For example with the credentials of a secrets manager. */
    @Test
    void connectionDetailsOfTheApplicationAreNotThoseOfTheTest() {
        context.run((started) -> started.getBean(Orders.class).count("lamp"));

        context.withConfiguration(AutoConfigurations.of(EmbeddedDatabaseAutoConfiguration.class))
                .withPropertyValues(AutoConfigureOutbox.DATABASE + "=EMBEDDED")
                .withBean(JdbcConnectionDetails.class, () -> new OwnDetails(database))
                .run((failed) -> assertThat(failed)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("which is not the test database of this context"));
        assertThat(ShopTables.count(jdbc, "events.outbox")).isOne();
    }

    @Test
    void databaseOfAServiceConnectionIsThatOfTheTest() {
        context.withConfiguration(AutoConfigurations.of(EmbeddedDatabaseAutoConfiguration.class))
                .withPropertyValues(
                        AutoConfigureOutbox.DATABASE + "=EMBEDDED",
                        "spring.datasource.url=jdbc:postgresql://localhost:1/production")
                .withBean(JdbcConnectionDetails.class, () -> new Container(new OwnDetails(database)))
                .run((started) -> {
                    started.getBean(Orders.class).count("lamp");

                    assertThat(started.getBean(OutboxTester.class).drain().handled())
                            .isOne();
                    assertThat(ShopTables.count(jdbc, "events.outbox")).isOne();
                    assertThat(started.getBeansOfType(JdbcConnectionDetails.class)
                                    .values())
                            .hasOnlyElementsOfType(Container.class);
                });
    }

    private static final class Container extends ContainerDetails {

        private final OwnDetails details;

        Container(OwnDetails details) {
            this.details = details;
        }

        @Override
        public String getJdbcUrl() {
            return details.getJdbcUrl();
        }

        @Override
        public String getUsername() {
            return details.getUsername();
        }

        @Override
        public String getPassword() {
            return details.getPassword();
        }
    }

    private record OwnDetails(TestDatabase database) implements JdbcConnectionDetails {

        @Override
        public String getJdbcUrl() {
            return database.jdbcUrl();
        }

        @Override
        public String getUsername() {
            return database.username();
        }

        @Override
        public String getPassword() {
            return database.password();
        }
    }

    private long registrations() {
        return ShopTables.count(jdbc, "events.outbox_handler");
    }
}
