package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.FailureReports.analyze;
import static dev.outbox.spring.autoconfigure.FailureReports.assertReport;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** DataSources and transaction managers that do not suit the outbox. */
@ExtendWith(OutputCaptureExtension.class)
class DataSourceMistakesTest {

    @AutoClose
    private final TestDatabase database = TestPostgres.shared().newDatabase();

    /** Flyway needs two connections at the same time. */
    @Test
    void poolOfOneIsTooSmallIfTheOutboxCannotConnectOutsideIt() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(new OpaqueDataSource(database.dataSource()));
            pool.setMaximumPoolSize(1);
            pool.setConnectionTimeout(1_000);

            FailureAnalysis analysis = analyze(with(pool));

            assertThat(analysis.getDescription())
                    .contains(
                            "lost or got no connection while it created or checked its tables", "(total=1, active=1,");
            assertThat(analysis.getAction())
                    .contains("if other parts of the application hold the connections of the pool, enlarge it");
        }
    }

    @Test
    void concurrencyAboveThePoolIsLowered(CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.poller.concurrency=16")
                .run((context) -> assertThat(output)
                        .contains(
                                "Reduced the concurrency of stream default to 3 (configured: 16): the pool has 5 connections"
                                        + " and the outbox may need 2. Enlarge the pool or lower the concurrency"));
    }

    @Test
    void routingDataSourceNeedsDefault() {
        Routing routing = new Routing();
        routing.setTargetDataSources(Map.of("eu", database.dataSource()));
        routing.afterPropertiesSet();

        assertReport("routing", analyze(with(routing)));
    }

    @Test
    void routingDataSourceWithDefaultIsReported(CapturedOutput output) {
        Routing routing = new Routing();
        routing.setTargetDataSources(Map.of("eu", database.dataSource()));
        routing.setDefaultTargetDataSource(database.dataSource());
        routing.afterPropertiesSet();

        with(routing).run((context) -> {
            assertThat(context).hasNotFailed();
            assertThat(output)
                    .containsOnlyOnce("The DataSource of the outbox, " + Routing.class.getName()
                            + ", routes each connection by a key of the calling thread.");
        });
    }

    @Test
    void publisherWithTwoDataSourcesIsExplained() {
        assertReport(
                "two-data-sources",
                analyze(applications()
                        .withBean(Subscriptions.class)
                        .withBean("orders", DataSource.class, database::dataSource)
                        .withBean("billing", DataSource.class, database::dataSource)));
    }

    @Test
    void handlersWithTwoDataSourcesAreReported(CapturedOutput output) {
        applications()
                .withBean("licensing", Licensing.class)
                .withBean("orders", DataSource.class, database::dataSource)
                .withBean("billing", DataSource.class, database::dataSource)
                .withInitializer((context) ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run((context) -> assertThat(output)
                        .contains("The outbox is off and the handlers receive no events, because there are several"
                                + " DataSource beans, [orders, billing], and none is primary. Mark the DataSource of the"
                                + " outbox with @OutboxDataSource, or one of them with @Primary. Handlers:"
                                + " [licensing.extend]"));
    }

    @Test
    void twoTransactionManagersAreAmbiguous() {
        assertReport(
                "no-unique-manager",
                analyze(Applications.on(database).withBean(Notes.class).withUserConfiguration(TwoManagers.class)));
    }

    @Test
    void driverThatAsksForUnpreparedFormatsIsReported(CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("spring.datasource.url=" + database.jdbcUrl() + "?prepareThreshold=-1")
                .run((context) -> await().untilAsserted(() -> assertThat(output)
                        .contains("; the JDBC URL of the DataSource probably has prepareThreshold=-1: remove it")));
    }

    @Test
    void managerOfTheDataSourceBehindAProxyIsNone() {
        HikariDataSource raw = new HikariDataSource();
        raw.setDataSource(database.dataSource());
        raw.setMaximumPoolSize(2);

        assertReport(
                "no-unique-manager",
                analyze(applications()
                        .withBean(Notes.class)
                        .withBean("raw", DataSource.class, () -> raw)
                        .withBean(
                                "logged",
                                DataSource.class,
                                () -> new DelegatingDataSource(raw),
                                (bean) -> bean.setPrimary(true))
                        .withBean(
                                "transactionManager",
                                DataSourceTransactionManager.class,
                                () -> new DataSourceTransactionManager(raw))));
    }

    private ApplicationContextRunner applications() {
        return Applications.withoutDatabase();
    }

    private ApplicationContextRunner with(DataSource dataSource) {
        return applications().withBean("dataSource", DataSource.class, () -> dataSource);
    }

    static class Notes {

        @OutboxHandler(id = "notes", deduplicate = true)
        void note(SubscriptionStarted event) {}
    }

    static final class Routing extends AbstractRoutingDataSource {

        @Override
        protected @Nullable Object determineCurrentLookupKey() {
            return null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoManagers {

        @Bean
        DataSourceTransactionManager first(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        DataSourceTransactionManager second(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }
}
