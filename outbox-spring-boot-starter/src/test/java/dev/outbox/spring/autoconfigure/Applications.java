package dev.outbox.spring.autoconfigure;

import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.events.OutboxSpringEventsAutoConfiguration;
import dev.outbox.spring.autoconfigure.health.OutboxHealthAutoConfiguration;
import dev.outbox.spring.autoconfigure.metrics.OutboxMetricsAutoConfiguration;
import dev.outbox.spring.autoconfigure.operations.MissingOperationsAutoConfiguration;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import dev.outbox.spring.autoconfigure.tracing.OutboxTracingAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications with the starter, as far as a test needs them. */
public final class Applications {

    private Applications() {}

    /** A database with the tables of the outbox: an application that starts has nothing to create there. */
    public static TestDatabase database() {
        return TestPostgres.shared().newDatabase(Template.DATABASE);
    }

    /** An application with the starter that names no database. */
    public static ApplicationContextRunner withoutDatabase() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        JdbcClientAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        OutboxMapperAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        OutboxOperationsAutoConfiguration.class,
                        MissingOperationsAutoConfiguration.class,
                        MissingOutboxAutoConfiguration.class,
                        OutboxSpringEventsAutoConfiguration.class,
                        OutboxHealthAutoConfiguration.class,
                        OutboxMetricsAutoConfiguration.class,
                        OutboxTracingAutoConfiguration.class));
    }

    /** An application with the starter and nothing else. */
    public static ApplicationContextRunner on(TestDatabase database) {
        return withoutDatabase()
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "spring.datasource.hikari.maximum-pool-size=5");
    }

    /** An application with one service and one handler. */
    static ApplicationContextRunner withSubscriptionsOn(TestDatabase database) {
        return on(database).withBean(Subscriptions.class).withBean(Licensing.class);
    }

    /** Publishes in a transaction of the application. */
    public static void inTransaction(ApplicationContext context, Consumer<OutboxPublisher> work) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult((status) -> work.accept(context.getBean(OutboxPublisher.class)));
    }

    /** Returns type, aggregate and sequence of each stored event, in the order in which they were stored. */
    public static List<String> stored(ApplicationContext context) {
        return context.getBean(JdbcClient.class)
                .sql("SELECT event_type || ' ' || aggregate_id || ' ' || aggregate_seq FROM events.outbox ORDER BY id")
                .query(String.class)
                .list();
    }

    static long count(ApplicationContext context, String table) {
        return context.getBean(JdbcClient.class)
                .sql("SELECT count(*) FROM " + table)
                .query(Long.class)
                .single();
    }

    private static final class Template {

        static final TestDatabase DATABASE = TestPostgres.shared()
                .newTemplate((database) -> new OutboxMigrations(
                                database.dataSource(),
                                Schemas.defaults().outbox(),
                                Schemas.defaults().archive())
                        .migrate());
    }
}
