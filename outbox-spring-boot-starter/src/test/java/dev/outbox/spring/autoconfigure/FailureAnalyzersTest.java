package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.FailureReports.analyze;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxHandler;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;

class FailureAnalyzersTest {

    @AutoClose
    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @Test
    void handlerThatCannotBeRegisteredIsExplained() {
        FailureAnalysis analysis = analyze(Applications.on(database).withBean(NoHandler.class));

        assertThat(analysis.getDescription()).contains("NoHandler.handle()", "has no parameter for the event");
        assertThat(analysis.getAction()).contains("void handle(Payload event)");
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
    void missingPublisherInTestSliceIsExplained() {
        FailureAnalysis analysis =
                analyze(needy(new ApplicationContextRunner()).withBean(DataSource.class, database::dataSource));

        assertThat(analysis.getDescription()).contains("does not include OutboxAutoConfiguration", "@DataJpaTest");
        assertThat(analysis.getAction()).contains("@AutoConfigureOutbox");
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
    void otherMissingBeansAreLeftToSpringBoot() {
        Applications.on(database)
                .withBean(Needy.class)
                .run((context) -> assertThat(
                                new OutboxFailureAnalyzer(new DefaultListableBeanFactory(), new StandardEnvironment())
                                        .analyze(context.getStartupFailure()))
                        .isNull());
    }

    @Test
    void invalidPropertyIsExplained() {
        FailureAnalysis analysis = analyze(Applications.on(database).withPropertyValues("outbox.poller.batch-size=0"));

        assertThat(analysis.getDescription()).contains("outbox.poller.batch-size", "must lie between 1 and 10000");
    }

    static class NoHandler {

        @OutboxHandler(eventTypes = "*")
        void handle() {}
    }

    static class Needy {

        Needy(Runnable missing) {}
    }
}
