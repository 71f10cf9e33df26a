package dev.outbox.spring.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The moves of the guides lose no event and keep the order. */
@Tag("full")
class GuidesTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void oldTableIsDrainedBeforeTheOutboxDelivers() {
        application().withPropertyValues("outbox.poller.enabled=false").run((context) -> {
            createTables(context);
            context.getBean(HandWritten.class).place("1", "lamp");
            context.getBean(Orders.class).place("2", "chair");

            context.getBean(HandWritten.class).poll();

            assertThat(context.getBean(Mail.class).confirmed).containsExactly("1");
        });
        application()
                .run((context) -> await().untilAsserted(() ->
                        assertThat(context.getBean(Mail.class).confirmed).containsExactly("2")));
    }

    @Test
    void oldEventsAreMovedOnceAndInOrder() {
        application().run((context) -> {
            createTables(context);
            HandWritten old = context.getBean(HandWritten.class);
            old.place("1", "lamp");
            old.place("2", "chair");

            assertThat(context.getBean(OldEvents.class).move()).isEqualTo(2);
            assertThat(context.getBean(OldEvents.class).move()).isZero();

            old.poll();
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mail.class).confirmed).containsExactly("1", "2"));
        });
    }

    @Test
    void eventThatIsGivenUpReachesTheDeadLetterMethod() {
        application()
                .withPropertyValues("outbox.retry.non-retryable=java.lang.IllegalArgumentException")
                .run((context) -> {
                    createTables(context);
                    context.getBean(Orders.class).place("1", "poison");

                    await().untilAsserted(() ->
                            assertThat(context.getBean(Mail.class).givenUp).containsExactly("1"));
                });
    }

    private ApplicationContextRunner application() {
        return Applications.on(database)
                .withBean(Mail.class)
                .withBean(HandWritten.class)
                .withBean(OldEvents.class)
                .withBean(Orders.class)
                .withBean(Confirmations.class);
    }

    private static void createTables(ApplicationContext context) {
        context.getBean(JdbcClient.class).sql(HandWritten.TABLES).update();
    }
}
