package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxHandler;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.jdbc.core.simple.JdbcClient;

class FailureAnalyzersTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void handlerThatCannotBeRegisteredIsExplained() {
        FailureAnalysis analysis = analyze(Applications.on(database).withBean(NoHandler.class));

        assertThat(analysis.getDescription()).contains("NoHandler.handle()", "void handle(Payload event)");
    }

    @Test
    void missingTablesAreExplainedWithTheirSql() {
        FailureAnalysis analysis = analyze(Applications.on(database).withPropertyValues("outbox.migrate=false"));

        assertThat(analysis.getDescription()).contains("not up to date").doesNotContain("CREATE");
        assertThat(analysis.getAction()).contains("outbox.migrate=true", "CREATE TABLE");
    }

    @Test
    void missingPublisherOfDisabledOutboxIsExplained() {
        FailureAnalysis analysis = analyze(needy(Applications.on(database)).withPropertyValues("outbox.enabled=false"));

        assertThat(analysis.getDescription())
                .contains("outbox.enabled is false")
                .doesNotContain("DataSource");
        assertThat(analysis.getAction()).contains("outbox.enabled=true");
    }

    @Test
    void missingPublisherWithoutDataSourceIsExplained() {
        FailureAnalysis analysis = analyze(needy(new ApplicationContextRunner())
                .withConfiguration(
                        AutoConfigurations.of(OutboxAutoConfiguration.class, MissingOutboxAutoConfiguration.class)));

        assertThat(analysis.getDescription()).contains("there is no DataSource").doesNotContain("enabled");
        assertThat(analysis.getAction()).contains("spring.datasource.url");
    }

    @Test
    void missingPublisherWithSeveralDataSourcesIsExplained() {
        FailureAnalysis analysis = analyze(needy(Applications.on(database))
                .withBean("orders", DataSource.class, database::dataSource)
                .withBean("billing", DataSource.class, database::dataSource));

        assertThat(analysis.getDescription()).contains("several DataSource beans", "[orders, billing]");
        assertThat(analysis.getAction()).contains("@OutboxDataSource", "@Primary");
    }

    @Test
    void missingPublisherInTestSliceIsExplained() {
        FailureAnalysis analysis =
                analyze(needy(new ApplicationContextRunner()).withBean(DataSource.class, database::dataSource));

        assertThat(analysis.getDescription()).contains("does not include OutboxAutoConfiguration", "@DataJpaTest");
        assertThat(analysis.getAction()).contains("@ImportAutoConfiguration(OutboxAutoConfiguration.class)");
    }

    @Test
    void missingPublisherOfExcludedConfigurationIsExplained() {
        FailureAnalysis analysis = analyze(needy(new ApplicationContextRunner())
                .withConfiguration(AutoConfigurations.of(MissingOutboxAutoConfiguration.class))
                .withBean(DataSource.class, database::dataSource));

        assertThat(analysis.getDescription()).contains("OutboxAutoConfiguration is excluded");
    }

    private static ApplicationContextRunner needy(ApplicationContextRunner application) {
        return application.withBean(Subscriptions.class);
    }

    @Test
    void foreignArchiveIsExplained() {
        JdbcClient sql = JdbcClient.create(database.dataSource());
        sql.sql("CREATE SCHEMA audit").update();
        sql.sql("CREATE TABLE audit.events (id bigint, payload text)").update();

        FailureAnalysis analysis = analyze(Applications.on(database));

        assertThat(analysis.getDescription()).contains("\"audit\".events", "column payload is text instead of jsonb");
        assertThat(analysis.getAction()).contains("outbox.retention.archive-schema", "rename");
    }

    @Test
    void otherMissingBeansAreLeftToSpringBoot() {
        Applications.on(database)
                .withBean(Needy.class)
                .run((context) -> assertThat(new MissingPublisherFailureAnalyzer(
                                        new DefaultListableBeanFactory(), new StandardEnvironment())
                                .analyze(context.getStartupFailure()))
                        .isNull());
    }

    @Test
    void invalidPropertyIsExplained() {
        FailureAnalysis analysis = analyze(Applications.on(database).withPropertyValues("outbox.poller.batch-size=0"));

        assertThat(analysis.getDescription()).contains("outbox.poller.batch-size", "must lie between 1 and 10000");
    }

    @Test
    void typeThatTwoStreamsTakeIsExplained() {
        FailureAnalysis analysis = analyze(Applications.on(database)
                .withPropertyValues(
                        "outbox.streams.mail.event-types=OrderPaid", "outbox.streams.trade.event-types=OrderPaid"));

        assertThat(analysis.getDescription())
                .contains("outbox.streams.trade.event-types", "OrderPaid", "what stream 'mail' takes");
    }

    @Test
    void exceptionThatDoesNotExistIsExplained() {
        FailureAnalysis analysis =
                analyze(Applications.on(database).withPropertyValues("outbox.retry.non-retryable=shop.PriceExeption"));

        assertThat(analysis.getDescription()).contains("outbox.retry.non-retryable", "shop.PriceExeption");
    }

    private static FailureAnalysis analyze(ApplicationContextRunner application) {
        AtomicReference<ConfigurableApplicationContext> failed = new AtomicReference<>();
        AtomicReference<FailureAnalysis> found = new AtomicReference<>();
        application.withInitializer(failed::set).run((context) -> {
            Throwable failure = Objects.requireNonNull(context.getStartupFailure());
            ArgumentResolver arguments = ArgumentResolver.of(
                            Environment.class, failed.get().getEnvironment())
                    .and(BeanFactory.class, failed.get().getBeanFactory());
            SpringFactoriesLoader.forDefaultResourceLocation()
                    .load(FailureAnalyzer.class, arguments, FailureHandler.handleMessage((message, ex) -> {}))
                    .stream()
                    .map((analyzer) -> analyzer.analyze(failure))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .ifPresent(found::set);
        });
        return found.get();
    }

    static class NoHandler {

        @OutboxHandler(eventTypes = "*")
        void handle() {}
    }

    static class Needy {

        Needy(Runnable missing) {}
    }
}
