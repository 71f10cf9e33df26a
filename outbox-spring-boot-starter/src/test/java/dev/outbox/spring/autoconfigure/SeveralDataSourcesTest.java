package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications with two data sources: the mark decides which one holds the outbox. */
class SeveralDataSourcesTest {

    @AutoClose
    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @AutoClose
    private final TestDatabase other = TestPostgres.shared().newDatabase();

    @ParameterizedTest
    @ValueSource(classes = {MarkedSecond.class, PrimaryFirst.class})
    void markedDataSourceAndItsTransactionManagerAreThoseOfTheOutbox(Class<?> dataSources) {
        twoDataSources()
                .withUserConfiguration(dataSources)
                .withBean(Notes.class)
                .run((context) -> {
                    publish(context, "secondTransactions");

                    List<String> plans = context.getBean(Licensing.class).plans;
                    await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold"));
                    JdbcClient second = JdbcClient.create(context.getBean("second", DataSource.class));
                    await().untilAsserted(() -> assertThat(second.sql("SELECT handler_id FROM events.processed_event")
                                    .query(String.class)
                                    .list())
                            .contains("notes"));
                    assertThat(schemas(context, "first")).isZero();
                    assertThat(schemas(context, "second")).isEqualTo(2);
                });
    }

    @Test
    void transactionOfTheOtherDataSourceIsRefused() {
        twoDataSources()
                .withUserConfiguration(MarkedSecond.class)
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) -> assertThatThrownBy(() -> publish(context, "firstTransactions"))
                        .isInstanceOf(InvalidTransactionException.class)
                        .hasMessageContaining(
                                "does not use the outbox's DataSource, so the event would not commit with it; use the"
                                        + " transaction manager of the outbox's DataSource, or mark the DataSource of this one with"
                                        + " @OutboxDataSource"));
    }

    private ApplicationContextRunner twoDataSources() {
        return Applications.withoutDatabase()
                .withBean("firstDatabase", TestDatabase.class, () -> database)
                .withBean("secondDatabase", TestDatabase.class, () -> other)
                .withBean(Licensing.class);
    }

    private static void publish(ApplicationContext context, String transactionManager) {
        new TransactionTemplate(context.getBean(transactionManager, PlatformTransactionManager.class))
                .executeWithoutResult((status) -> context.getBean(OutboxPublisher.class)
                        .publish("subscription", "1", new SubscriptionStarted("gold")));
    }

    private static long schemas(ApplicationContext context, String dataSource) {
        return JdbcClient.create(context.getBean(dataSource, DataSource.class))
                .sql("SELECT count(*) FROM pg_namespace WHERE nspname IN ('events', 'audit')")
                .query(Long.class)
                .single();
    }

    static class Notes {

        @OutboxHandler(id = "notes", deduplicate = true)
        void note(SubscriptionStarted event) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedSecond {

        @Bean
        DataSource first(@Qualifier("firstDatabase") TestDatabase database) {
            return database.dataSource();
        }

        @Bean
        @OutboxDataSource
        DataSource second(@Qualifier("secondDatabase") TestDatabase database) {
            return database.dataSource();
        }

        @Bean
        DataSourceTransactionManager firstTransactions(@Qualifier("first") DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        DataSourceTransactionManager secondTransactions(@Qualifier("second") DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
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
