package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class StartReportTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void startListsSchemasStreamsHandlersAndEventTypes(CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.streams.mail.batch-size=1", "outbox.poller.streams=default")
                .run((context) -> assertThat(output)
                        .contains("Events are stored in schema events and archived in schema audit")
                        .contains("Polling streams: default; configured but not polled here: mail")
                        .contains("Handlers and their event types: licensing.extend (SubscriptionStarted)"));
    }

    @Test
    void handlersWithoutOutboxAreReported(CapturedOutput output) {
        Applications.on(database)
                .withBean("orders", DataSource.class, database::dataSource)
                .withBean("billing", DataSource.class, database::dataSource)
                .withBean("licensing", Licensing.class)
                .withInitializer((context) ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run((context) -> assertThat(output)
                        .contains("The outbox is off and the handlers receive no events, because there are several"
                                + " DataSource beans, [orders, billing], and none is primary")
                        .contains("@OutboxDataSource")
                        .contains("[licensing.extend]"));
    }

    @Test
    void applicationsWithoutHandlersOrWithOutboxTurnedOffAreLeftAlone(CapturedOutput output) {
        Applications.on(database)
                .withBean("orders", DataSource.class, database::dataSource)
                .withBean("billing", DataSource.class, database::dataSource)
                .run((context) -> assertThat(context).hasNotFailed());
        Applications.on(database)
                .withBean(Licensing.class)
                .withPropertyValues("outbox.enabled=false")
                .run((context) -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("The outbox is off");
    }
}
