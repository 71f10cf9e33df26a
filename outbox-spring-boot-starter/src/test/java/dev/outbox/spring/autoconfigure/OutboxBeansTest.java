package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.listener.OutboxListener;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import dev.outbox.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Beans of the application that the outbox uses instead of its own. */
class OutboxBeansTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void outboxWorksWithoutMapperOfSpringBoot() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OutboxAutoConfiguration.class,
                        OutboxOperationsAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(DataSource.class, database::dataSource)
                .withBean(Licensing.class)
                .run((context) -> {
                    Applications.inTransaction(
                            context, (outbox) -> outbox.publish("subscription", "1", new SubscriptionStarted("gold")));
                    List<String> plans = context.getBean(Licensing.class).plans;
                    await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
                });
    }

    @Test
    void listenerMayDependOnThePublisher() {
        Applications.on(database)
                .withBean(PublishingListener.class)
                .run((context) -> assertThat(context).hasNotFailed());
    }

    @Test
    void publisherWithdrawsAScheduledEvent() {
        Applications.on(database)
                .run((context) -> Applications.inTransaction(context, (publisher) -> {
                    publisher.publish(OutboxEvent.of("subscription", "1", new SubscriptionStarted("gold"))
                            .deliverAfter(Duration.ofDays(1))
                            .withKey("start"));

                    assertThat(publisher.cancel("subscription", "1", "start")).isTrue();
                    assertThat(publisher.cancel("subscription", "1", "start")).isFalse();
                }));
    }

    static class PublishingListener implements OutboxListener {

        PublishingListener(OutboxPublisher publisher) {
            assertThat(publisher).isNotNull();
        }
    }
}
