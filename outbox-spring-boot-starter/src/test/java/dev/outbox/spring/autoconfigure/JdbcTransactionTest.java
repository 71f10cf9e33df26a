package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxDataSource;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class JdbcTransactionTest {

    private final TestDatabase database = Applications.database();
    private final TestDatabase other = TestPostgres.shared().newDatabase();

    @AfterEach
    void dropDatabases() {
        database.close();
        other.close();
    }

    @Test
    void handlerThatMarksItsOwnTransactionHasFailed() {
        Applications.on(database)
                .withBean(Subscriptions.class)
                .withBean(Marking.class)
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");
                    await().untilAsserted(() -> assertThat(context.getBean(JdbcClient.class)
                                    .sql("SELECT last_error_code FROM events.outbox_delivery")
                                    .query(String.class)
                                    .list())
                            .containsExactly("UnexpectedRollbackException"));
                });
    }

    static class Marking {

        @OutboxHandler(id = "marking")
        @Transactional
        public void handle(SubscriptionStarted event) {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        }
    }

    @Test
    void eventOfRolledBackSavepointIsGone() {
        Applications.withSubscriptionsOn(database).run((context) -> {
            OutboxPublisher outbox = context.getBean(OutboxPublisher.class);
            TransactionTemplate outer = transactions(context, "transactionManager");
            TransactionTemplate nested = transactions(context, "transactionManager");
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

            outer.executeWithoutResult((status) -> {
                outbox.publish("subscription", "1", new SubscriptionStarted("kept"));
                nested.executeWithoutResult((inner) -> {
                    outbox.publish("subscription", "1", new SubscriptionStarted("dropped"));
                    inner.setRollbackOnly();
                });
                outbox.publish("subscription", "1", new SubscriptionStarted("kept too"));
            });

            await().untilAsserted(() ->
                    assertThat(context.getBean(Licensing.class).plans).containsExactly("1:kept", "1:kept too"));
            assertThat(count(context, "events.outbox")).isEqualTo(2);
        });
    }

    @Test
    void transactionalAndLazyHandlersWorkInsideAnApplication() {
        Applications.on(database)
                .withBean(Subscriptions.class)
                .withUserConfiguration(LazyLedger.class)
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");

                    await().untilAsserted(() -> assertThat(count(context, "events.outbox_published"))
                            .isOne());
                    assertThat(context.getBean(Ledger.class).entries()).containsExactly("gold");
                });
    }

    @Test
    void publishAfterCommitIsRefusedWithCustomTransactionManager() {
        Applications.on(database).run((context) -> assertPublishAfterCommitIsRefused(context, "transactionManager"));
        twoDataSources()
                .withUserConfiguration(PrimaryFirst.class)
                .run((context) -> assertPublishAfterCommitIsRefused(context, "secondTransactions"));
    }

    private static void assertPublishAfterCommitIsRefused(ApplicationContext context, String transactionManager) {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        transactions(context, transactionManager)
                .executeWithoutResult((status) ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                OutboxPublisher outbox = context.getBean(OutboxPublisher.class);
                                refusal.set(catchThrowable(
                                        () -> outbox.publish("subscription", "1", new SubscriptionStarted("late"))));
                            }
                        }));
        assertThat(refusal.get())
                .isInstanceOf(InvalidTransactionException.class)
                .hasMessageContaining("has ended already");
    }

    private ApplicationContextRunner twoDataSources() {
        return Applications.withoutDatabase()
                .withBean("firstDatabase", TestDatabase.class, () -> database)
                .withBean("secondDatabase", TestDatabase.class, () -> other)
                .withBean(Licensing.class);
    }

    private static TransactionTemplate transactions(ApplicationContext context, String name) {
        return new TransactionTemplate(context.getBean(name, PlatformTransactionManager.class));
    }

    interface Ledger {

        void enter(SubscriptionStarted event);

        List<String> entries();
    }

    static class JdbcLedger implements Ledger {

        private final List<String> entries = new CopyOnWriteArrayList<>();

        @Override
        @Transactional
        @OutboxHandler(id = "ledger")
        public void enter(SubscriptionStarted event) {
            entries.add(event.plan());
        }

        @Override
        public List<String> entries() {
            return entries;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyLedger {

        @Bean
        @Lazy
        JdbcLedger ledger() {
            return new JdbcLedger();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryFirst {

        @Bean
        @Primary
        DataSource first(@Qualifier("firstDatabase") TestDatabase database) {
            return database.dataSource();
        }

        @Bean(defaultCandidate = false)
        @OutboxDataSource
        DataSource second(@Qualifier("secondDatabase") TestDatabase database) {
            return database.dataSource();
        }

        @Bean(defaultCandidate = false)
        DataSourceTransactionManager secondTransactions(@OutboxDataSource DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }
}
