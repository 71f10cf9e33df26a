package dev.outbox.sample.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** The job is off: while it holds the lock, a run of the test would do nothing. */
@SampleTest
@TestPropertySource(properties = "sample.jobs=false")
class OperationEventsTest {

    private final String operator = UUID.randomUUID().toString();

    @Autowired
    private OperationEvents events;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TransactionTemplate transaction;

    @Test
    void operationThatCommitsLateIsPublishedToo() {
        long early = transaction.execute((status) -> {
            long uncommitted = perform();
            CompletableFuture.runAsync(() -> {
                        perform();
                        events.runOnce();
                    })
                    .join();
            assertThat(published()).hasSize(1).doesNotContain(uncommitted);
            return uncommitted;
        });

        events.runOnce();
        events.runOnce();

        assertThat(published()).hasSize(2).endsWith(early);
    }

    @Test
    void operationOfARunThatFailsIsPublishedByTheNextOne() {
        long operation = perform();
        transaction.executeWithoutResult((status) -> {
            events.runOnce();
            assertThat(published()).containsExactly(operation);
            status.setRollbackOnly();
        });
        assertThat(published()).isEmpty();

        events.runOnce();

        assertThat(published()).containsExactly(operation);
    }

    @Test
    void parallelRunsPublishEachOperationOnce() {
        List<Long> operations = perform(300);

        CompletableFuture.allOf(Stream.generate(() -> CompletableFuture.runAsync(events::runOnce))
                        .limit(4)
                        .toArray(CompletableFuture<?>[]::new))
                .join();

        assertThat(published()).containsExactlyElementsOf(operations);
    }

    @Test
    void oldOperationsAreForgotten() {
        List<Long> operations = perform(1001);
        events.runOnce();
        assertThat(published()).containsExactlyElementsOf(operations.subList(0, 1000));
        events.runOnce();
        assertThat(beyond()).containsAll(operations);

        jdbc.sql("UPDATE events.outbox_operation SET performed_at = performed_at - interval '11 minutes'")
                .update();
        events.runOnce();
        events.runOnce();

        assertThat(beyond()).isEmpty();
        assertThat(published()).containsExactlyElementsOf(operations);
    }

    private List<Long> perform(int operations) {
        return IntStream.range(0, operations).mapToObj((number) -> perform()).toList();
    }

    /** Records an operation, in a transaction of the test if there is one. */
    private long perform() {
        return jdbc.sql("""
                        INSERT INTO events.outbox_operation (performed_by, action, reason, stream)
                        VALUES (:operator, 'PAUSE_STREAM', 'a test', 'push')
                        RETURNING id
                        """).param("operator", operator).query(Long.class).single();
    }

    /** The operations of this test whose event is published, in that order. */
    private List<Long> published() {
        return jdbc.sql("""
                        SELECT (payload ->> 'operationId')::bigint
                          FROM events.outbox
                         WHERE event_type = 'OperationPerformed'
                           AND payload ->> 'actor' = :operator
                         ORDER BY id
                        """).param("operator", operator).query(Long.class).list();
    }

    private List<Long> beyond() {
        return jdbc.sql("SELECT unnest(beyond) FROM control.announced_operations")
                .query(Long.class)
                .list();
    }
}
