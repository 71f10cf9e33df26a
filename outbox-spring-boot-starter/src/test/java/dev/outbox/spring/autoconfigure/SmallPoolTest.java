package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.testing.TestDatabase;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SmallPoolTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    /** Flyway needs two connections at the same time, and connects outside the pool. */
    @Test
    void poolOfOneStartsAndDelivers() {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "spring.datasource.hikari.connection-timeout=20000",
                        "outbox.poller.concurrency=8")
                .run((context) -> {
                    Subscriptions subscriptions = context.getBean(Subscriptions.class);

                    IntStream.range(0, 100).forEach((i) -> subscriptions.start("s-" + i, "gold"));

                    await().until(() -> context.getBean(Licensing.class).plans.size() == 100);
                });
    }

    @Test
    void pollsAndLogsWithoutDataSourceUrl(CapturedOutput output) {
        Applications.withoutDatabase()
                .withBean(DataSource.class, () -> new OpaqueDataSource(database.dataSource()))
                .withBean(Subscriptions.class)
                .withBean(Licensing.class)
                .withPropertyValues("outbox.poller.interval=100ms")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");

                    await().until(() -> context.getBean(Licensing.class).plans.size() == 1);
                    assertThat(output).containsOnlyOnce("This instance receives no wake-ups of other instances");
                });
    }
}
