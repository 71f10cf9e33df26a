package dev.outbox.spring.autoconfigure.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxPublisher;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class MissingOperationsTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    private final ApplicationContextRunner application =
            Applications.on(database).withClassLoader(new FilteredClassLoader("dev.outbox.operations"));

    @Test
    void applicationStartsAndSaysWhatItCannotDo(CapturedOutput output) {
        application.run((context) -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(OutboxPublisher.class)
                .doesNotHaveBean(OutboxOperations.class));
        assertThat(output)
                .containsOnlyOnce("Without dev.outbox:outbox-operations, dead letters can only be handled by SQL");
    }

    @Test
    void deadLettersThatNobodySkipsFailTheStart() {
        assertRetentionOfDeadLettersFails(application);
    }

    @Test
    void deadLettersThatNobodySkipsFailTheStartWithTheModuleButWithoutItsBeans() {
        assertRetentionOfDeadLettersFails(new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceTransactionManagerAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        MissingOperationsAutoConfiguration.class))
                .withBean(DataSource.class, database::dataSource));
    }

    private static void assertRetentionOfDeadLettersFails(ApplicationContextRunner application) {
        application
                .withPropertyValues("outbox.retention.dead=30d")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining(
                                "outbox.retention.dead skips dead letters, which needs outbox-operations"));
    }
}
