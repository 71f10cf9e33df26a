package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.testing.ServerSettings;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Counts what an inbox without records asks of the database, as the server sees it. */
@Tag("full")
class IdleInboxTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void consumersOfAnInboxShareTheirLooks() {
        TestKafka.createTopic("idle", Map.of());
        try (TestPostgres server = TestPostgres.start(
                        ServerSettings.fast().with("shared_preload_libraries", "pg_stat_statements"));
                TestDatabase database = server.newDatabase();
                ConfigurableApplicationContext application = start(database)) {
            JdbcClient statistics = JdbcClient.create(database.as("postgres"));
            statistics.sql("CREATE EXTENSION pg_stat_statements").update();
            await().atMost(MINUTE).until(() -> looks(statistics) > 5);
            long before = looks(statistics);
            await().pollDelay(MINUTE).atMost(MINUTE.multipliedBy(2)).until(() -> true);

            assertThat(application.isActive()).isTrue();
            // A look every 5 s, and a few for new metadata. Three consumers that do not share looked 33 times.
            assertThat(looks(statistics) - before).isBetween(5L, 20L);
        }
    }

    private static long looks(JdbcClient statistics) {
        return statistics
                .sql("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE '%outbox_inbox_offset%'")
                .query(Long.class)
                .single();
    }

    private static ConfigurableApplicationContext start(TestDatabase database) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers(),
                        "--outbox.kafka.inboxes.idle.topics=idle",
                        "--outbox.kafka.inboxes.idle.group=idle",
                        "--outbox.kafka.inboxes.idle.concurrency=3");
    }
}
