package dev.outbox.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Pools;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.StatementCounter;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.sql.OutboxSchema;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

class OutboxMetersTest {

    /** Bytes of the log. */
    private static final int BEHIND = 100_000;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create(Pools.impatient());

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final OutboxMeters meters = new OutboxMeters(registry, Set::of);

    @Test
    void journeyOfEventsIsCountedAndTimed() {
        outbox.listener(meters)
                .handler("mail", "*", Recorded.failing((attempt) -> switch (attempt.envelope()
                        .aggregateId()) {
                    case "flaky" -> attempt.number() < 3 ? new IOException("flaky") : null;
                    case "dead" -> new NonRetryableException("never");
                    default -> null;
                }))
                .retry(TestOutbox.AT_ONCE)
                .start();
        outbox.publish("fine", new OrderPlaced(1));
        outbox.publish("flaky", new OrderPlaced(1));
        outbox.publish("dead", new OrderPlaced(1));

        await().ignoreException(MeterNotFoundException.class)
                .untilAsserted(() -> assertThat(
                                registry.get("outbox.retry.count").summary().count())
                        .isEqualTo(3));
        assertThat(registry.get("outbox.published")
                        .tag("stream", "default")
                        .counter()
                        .count())
                .isEqualTo(3);
        assertThat(processed("success")).isEqualTo(2);
        assertThat(processed("retry")).isEqualTo(2);
        assertThat(processed("dead")).isEqualTo(1);
        assertThat(registry.get("outbox.retry.count").summary().totalAmount()).isEqualTo(3);
        assertThat(registry.get("outbox.handler.duration")
                        .tags("stream", "default", "event_type", "OrderPlaced", "handler", "mail")
                        .timer()
                        .count())
                .isEqualTo(5);
        assertThat(registry.get("outbox.claim").timer().count()).isPositive();
        assertThat(registry.get("outbox.settle").timer().count()).isPositive();
        assertThat(registry.get("outbox.delivery.lag").timer().count()).isEqualTo(2);
        assertThat(registry.getMeters().stream()
                        .flatMap((meter) -> meter.getId().getTags().stream())
                        .map(Tag::getKey))
                .as("tags are few, and never ids")
                .containsOnly("event_type", "handler", "result", "stream");
    }

    @Test
    void countsSkippedDuplicatesAsSuccessesAndDuplicates() {
        outbox.listener(meters)
                .handler(HandlerDefinition.of("mail", Set.of("*"), (envelope) -> outbox.loseClaims())
                        .deduplicating())
                .start();
        outbox.publish("1", new OrderPlaced(1));

        outbox.awaitPublished(1);
        assertThat(registry.get("outbox.deduplicated")
                        .tags("stream", "default", "handler", "mail")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(processed("success")).isEqualTo(2);
        assertThat(registry.get("outbox.lease.lost").counter().count()).isEqualTo(1);
        outbox.runtime().close();
        assertThat(held().count()).as("claims that were not lost").isEqualTo(1);
    }

    @Test
    void timesClaimOfFirstDeliveryAndOfRedelivery() {
        outbox.listener(meters)
                .handler(
                        "mail",
                        "*",
                        Recorded.failing((attempt) -> attempt.number() == 1 ? new IOException("no") : null))
                .retry(TestOutbox.AT_ONCE)
                .start();
        outbox.publish("1", new OrderPlaced(1));

        await().ignoreException(MeterNotFoundException.class).until(() -> held().count() == 2);
        assertThat(held().totalTime(TimeUnit.NANOSECONDS))
                .isGreaterThan(registry.get("outbox.handler.duration").timer().totalTime(TimeUnit.NANOSECONDS));
    }

    private Timer held() {
        return registry.get("outbox.claim.held").tag("stream", "default").timer();
    }

    private double processed(String result) {
        return registry.get("outbox.processed")
                .tags("stream", "default", "handler", "mail", "result", result)
                .counter()
                .count();
    }

    @Test
    void eventsOfARolledBackSavepointAreNotCounted() {
        TransactionTemplate nested = outbox.transactions();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        outbox.listener(meters).start();
        outbox.inTransaction(() -> {
            outbox.publisher().publish("order", "1", new OrderPlaced(1));
            nested.executeWithoutResult((status) -> {
                outbox.publisher().publish("order", "1", new OrderPlaced(2));
                status.setRollbackOnly();
            });
            return outbox.publisher().publish("order", "1", new OrderPlaced(3));
        });
        assertThat(registry.get("outbox.published").counter().count()).isEqualTo(2);
    }

    @Test
    void gaugesReadAllStatesInOneQuery() {
        outbox.handler("mail", "*", Recorded.failing((attempt) -> switch (attempt.envelope()
                        .aggregateId()) {
                    case "dead" -> new NonRetryableException("never");
                    case "retrying" -> new IOException("later");
                    default -> null;
                }))
                .start();
        outbox.publish("dead", new OrderPlaced(1));
        outbox.publish("retrying", new OrderPlaced(1));
        outbox.publish("fine", new OrderPlaced(1));
        outbox.publish("retrying", new OrderPlaced(2));
        await().until(() -> outbox.count("events.outbox WHERE dispatched_at IS NULL") == 0);
        outbox.runtime().close();
        outbox.update(
                "UPDATE events.outbox_delivery SET open_since = now() - interval '2 hours' WHERE aggregate_id = 'retrying'");
        outbox.update(
                "INSERT INTO events.outbox (aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at)"
                        + " VALUES ('order', 'old', 1, 'OrderPlaced', '{}', now() - interval '90 seconds')");
        outbox.update(
                "INSERT INTO events.outbox_claim (incarnation, stream, worker, locked_until, event_ids, aggregates)"
                        + " SELECT gen_random_uuid(), 'default', 'w', now() + interval '1 minute', array_agg(id), '{}' FROM events.outbox WHERE aggregate_id = 'old'");
        outbox.publish("pending", new OrderPlaced(1));
        StatementCounter statements = new StatementCounter(outbox.dataSource());
        QueueGauges gauges = new QueueGauges(statements, OutboxSchema.DEFAULT, Duration.ofHours(1));
        new QueueMeters(registry, gauges).register("default");

        await().until(() -> gauges.stream("default").isPresent());
        assertThat(gauge("outbox.pending")).isEqualTo(1);
        assertThat(gauge("outbox.processing")).isEqualTo(1);
        assertThat(gauge("outbox.retrying")).isEqualTo(2);
        assertThat(gauge("outbox.retrying.failures")).isPositive().isEqualTo(failures("retrying"));
        assertThat(gauge("outbox.dead")).isEqualTo(1);
        assertThat(gauge("outbox.oldest.pending")).isBetween(90.0, 150.0);
        assertThat(gauge("outbox.oldest.retrying")).isBetween(7200.0, 7260.0);
        assertThat(statements.count()).isEqualTo(1);
    }

    private double failures(String aggregate) {
        return outbox.value(
                Double.class, "SELECT sum(retry_count) FROM events.outbox WHERE aggregate_id = ?", aggregate);
    }

    /** As the owner, who is a member of pg_monitor. */
    @Test
    void standbyThatReplaysNothingFallsBehind() throws SQLException {
        QueueGauges gauges = new QueueGauges(outbox.database().dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        new QueueMeters(registry, gauges).registerDatabase();
        outbox.withoutPolling().start();
        await().until(() -> gauges.all().isPresent());
        assertThat(replicationLag()).isNaN();

        try (Connection connection = replication();
                PGReplicationStream standby = standby(connection)) {
            outbox.sql()
                    .sql("SELECT pg_logical_emit_message(false, 'test', repeat('x', ?))")
                    .param(BEHIND + 1)
                    .query()
                    .singleValue();
            await().untilAsserted(() -> assertThat(replicationLag()).isGreaterThan(BEHIND));

            replayed(standby, logEnd());
            await().untilAsserted(() -> assertThat(replicationLag()).isBetween(0.0, BEHIND - 1.0));
        }
    }

    @Test
    void replicationLagIsUnknownToARoleThatMayNotSeeIt() throws SQLException {
        QueueGauges gauges = new QueueGauges(
                outbox.database().as(outbox.database().application()), OutboxSchema.DEFAULT, Duration.ZERO);
        new QueueMeters(registry, gauges).registerDatabase();
        outbox.withoutPolling().start();

        try (Connection connection = replication()) {
            standby(connection);
            await().until(() -> gauges.all().isPresent());
            assertThat(replicationLag()).isNaN();
        }
    }

    private Connection replication() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", outbox.database().username());
        properties.setProperty("password", outbox.database().password());
        PGProperty.REPLICATION.set(properties, "true");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "10");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        return DriverManager.getConnection(outbox.database().jdbcUrl(), properties);
    }

    /** A reader of the log that says it has replayed all that there is. */
    private PGReplicationStream standby(Connection connection) throws SQLException {
        LogSequenceNumber end = logEnd();
        PGReplicationStream stream = connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .physical()
                .withStartPosition(end)
                .start();
        replayed(stream, end);
        return stream;
    }

    private static void replayed(PGReplicationStream standby, LogSequenceNumber position) throws SQLException {
        standby.setFlushedLSN(position);
        standby.setAppliedLSN(position);
        standby.forceUpdateStatus();
    }

    private LogSequenceNumber logEnd() {
        return LogSequenceNumber.valueOf(outbox.value(String.class, "SELECT pg_current_wal_lsn()::text"));
    }

    @Test
    void gaugesAreUnknownWhileTheDatabaseIsAway() {
        outbox.withoutPolling().start();
        outbox.publish("1", new OrderPlaced(1));
        QueueGauges gauges = new QueueGauges(outbox.database().dataSource(), OutboxSchema.DEFAULT, Duration.ZERO);
        new QueueMeters(registry, gauges).register("default");
        await().untilAsserted(() -> assertThat(gauge("outbox.pending")).isEqualTo(1));

        outbox.database().cutOff();
        assertThat(gauge("outbox.pending")).isNaN();
        assertThat(gauge("outbox.lanes.blocked")).isNaN();
        assertThat(gauge("outbox.oldest.pending")).isNaN();
        assertThat(gauge("outbox.oldest.retrying")).isNaN();
        outbox.database().restore();
        await().untilAsserted(() -> assertThat(gauge("outbox.pending")).isEqualTo(1));
    }

    private double replicationLag() {
        return registry.get("outbox.replication.lag").gauge().value();
    }

    private double gauge(String name) {
        return registry.get(name).tag("stream", "default").gauge().value();
    }
}
