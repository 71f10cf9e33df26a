package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.ServerSettings;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Counts what instances without work ask of the tables, as the server sees it. */
@Tag("full")
class IdleCostTest {

    private static final int MOST_STATEMENTS = 10;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TestPostgres server =
            TestPostgres.start(ServerSettings.fast().with("shared_preload_libraries", "pg_stat_statements"));
    private final AtomicLong claimedAt = new AtomicLong();
    private final List<TestOutbox> instances = List.of(instance(1), instance(4));

    @AfterEach
    void close() {
        instances.forEach(TestOutbox::close);
        server.close();
    }

    @Test
    void idleInstanceAsksRarelyWhateverTheNumberOfStreams() {
        statistics().sql("CREATE EXTENSION pg_stat_statements").update();
        instances.forEach(TestOutbox::start);
        await().until(() -> System.nanoTime() - claimedAt.get()
                > PollerSettings.defaults().interval().multipliedBy(2).toNanos());

        statistics().sql("SELECT pg_stat_statements_reset()").query().listOfRows();
        await().pollDelay(MINUTE).atMost(MINUTE.multipliedBy(2)).until(() -> true);

        assertThat(instances).allSatisfy((instance) -> {
            Map<String, Long> statements = statements(instance);
            assertThat(statements.values().stream().mapToLong(Long::longValue).sum())
                    .as(statements.toString())
                    .isBetween(1L, (long) MOST_STATEMENTS);
        });
    }

    private TestOutbox instance(int streams) {
        TestOutbox instance = TestOutbox.create(server)
                .withNotifications()
                .onClaim((events) -> claimedAt.set(System.nanoTime()))
                .handler("any", "*", Recorded.all());
        for (int i = 1; i < streams; i++) {
            instance.stream("stream" + i, PollerSettings.defaults());
        }
        return instance;
    }

    /** Returns the number of calls for each statement on a table of the outbox. */
    private Map<String, Long> statements(TestOutbox instance) {
        Map<String, Long> calls = new TreeMap<>();
        statistics()
                .sql("""
                        SELECT s.query, s.calls
                          FROM pg_stat_statements s
                          JOIN pg_database d ON d.oid = s.dbid
                         WHERE d.datname = ?
                           AND s.userid = ?::regrole
                           AND s.query LIKE '%"events".outbox%'
                        """)
                .param(instance.database().name())
                .param(instance.database().application())
                .query((row) -> {
                    calls.merge(row.getString(1), row.getLong(2), Long::sum);
                });
        return calls;
    }

    /** Only a superuser sees the statements of others. */
    private JdbcClient statistics() {
        return JdbcClient.create(instances.get(0).database().as("postgres"));
    }
}
