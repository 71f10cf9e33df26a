package dev.outbox.test;

import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;

/** Configures the {@link OutboxTester} of a test with {@link AutoConfigureOutbox @AutoConfigureOutbox}. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxRuntime.class)
public final class OutboxTesterAutoConfiguration {

    @Bean
    HandlerRecorder outboxHandlerRecorder() {
        return new HandlerRecorder();
    }

    @Bean
    OutboxTester outboxTester(
            OutboxRuntime runtime,
            OutboxDependencies dependencies,
            RuntimeSettings settings,
            HandlerRecorder recorder) {
        return new OutboxTester(
                runtime, dependencies.dataSource(), dependencies.mapper(), settings.schemas(), recorder);
    }

    @Bean
    @ConditionalOnProperty(name = AutoConfigureOutbox.DATABASE, havingValue = "EMBEDDED")
    TestDatabaseCheck outboxTestDatabaseCheck(
            OutboxDependencies dependencies, ObjectProvider<JdbcConnectionDetails> databases) {
        return new TestDatabaseCheck(dependencies.dataSource(), databases);
    }

    @Bean
    TesterLifecycle outboxTesterLifecycle(
            OutboxTester tester,
            OutboxRuntime runtime,
            OutboxDependencies dependencies,
            RuntimeSettings settings,
            ObjectProvider<TestDatabaseCheck> check) {
        String schema = settings.schemas().outbox().quoted();
        return new TesterLifecycle(
                tester, new TestRegistrations(dependencies.dataSource(), schema, runtime), check.getIfAvailable());
    }
}
