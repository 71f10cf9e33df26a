package dev.outbox.test;

import dev.outbox.OutboxDataSource;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;

/** Configures the {@link OutboxTester} of a test with {@link AutoConfigureOutbox @AutoConfigureOutbox}. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxRuntime.class)
public final class OutboxTesterAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(OutboxTesterAutoConfiguration.class);

    private static final String MIGRATION = "outboxMigrationInitializer";
    private static final String CHECK = "outboxTestDatabaseCheck";

    @Bean
    HandlerRecorder outboxHandlerRecorder() {
        return new HandlerRecorder();
    }

    @Bean
    OutboxTester outboxTester(
            OutboxRuntime runtime,
            OutboxDependencies dependencies,
            RuntimeSettings settings,
            ObjectProvider<TableModule> modules,
            HandlerRecorder recorder,
            ObjectProvider<RecordedMessages> recorded) {
        return new OutboxTester(
                runtime,
                dependencies.dataSource(),
                dependencies.mapper(),
                settings.schemas(),
                modules.stream().flatMap((module) -> module.tables().stream()).toList(),
                recorder,
                () -> recorded.orderedStream().toList());
    }

    /** Checks the database before the outbox migrates it. */
    @Bean
    @ConditionalOnProperty(name = AutoConfigureOutbox.DATABASE, havingValue = "EMBEDDED")
    static BeanFactoryPostProcessor outboxTestDatabaseCheckBeforeMigration() {
        return (beanFactory) -> beanFactory.getBeanDefinition(MIGRATION).setDependsOn(CHECK);
    }

    @Bean(CHECK)
    @ConditionalOnProperty(name = AutoConfigureOutbox.DATABASE, havingValue = "EMBEDDED")
    TestDatabaseCheck outboxTestDatabaseCheck(
            ObjectProvider<DataSource> dataSource,
            @OutboxDataSource ObjectProvider<DataSource> markedDataSource,
            ObjectProvider<JdbcConnectionDetails> databases) {
        return new TestDatabaseCheck(markedDataSource.getIfAvailable(dataSource::getObject), databases);
    }

    @Bean
    TesterLifecycle outboxTesterLifecycle(
            OutboxTester tester, OutboxRuntime runtime, OutboxDependencies dependencies, RuntimeSettings settings) {
        log.info("The test delivers the events, with OutboxTester.drain(), so this context polls no stream");
        String schema = settings.schemas().outbox().quoted();
        return new TesterLifecycle(tester, new TestRegistrations(dependencies.dataSource(), schema, runtime));
    }
}
