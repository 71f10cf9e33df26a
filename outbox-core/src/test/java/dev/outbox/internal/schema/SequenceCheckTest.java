package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A database whose sequences lag behind its tables, as logical replication leaves it. */
class SequenceCheckTest {

    private static final OutboxSchema ARCHIVE = new OutboxSchema("audit");

    private static final ActiveHandlers NO_HANDLERS = ActiveHandlers.ofAllTypes();

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void everySequenceIsMovedBehindItsTable() throws SQLException {
        outbox.publish("1", new OrderPlaced(1));
        List<String> sequences = sequences();
        assertThat(sequences)
                .contains("events.outbox_id_seq", "audit.events_id_seq")
                .hasSizeGreaterThan(4);
        outbox.update("""
                        INSERT INTO events.outbox_operation (performed_by, action, reason)
                        SELECT 'ann', 'SKIP', 'sent' FROM generate_series(1, 50)
                        """);
        outbox.update("""
                        INSERT INTO events.outbox_claim (incarnation, stream, worker, locked_until, event_ids, aggregates)
                        VALUES (gen_random_uuid(), 'default', 'w', now(), '{}', '{}')
                        """);
        outbox.update("""
                        INSERT INTO events.outbox_replay (handler_id, rate, up_to_id, requested_by, reason)
                        VALUES ('mail', 1, 1, 'ann', 'new handler')
                        """);
        outbox.update("""
                        INSERT INTO audit.events (outbox_event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type,
                                                  schema_version, payload, headers, occurred_at, published_at, retry_count)
                        VALUES (gen_random_uuid(), 'default', 'order', '1', 1, 'OrderPlaced', 1, '{}', '{}', now(), now(), 0)
                        """);
        restart();

        start(outbox.owner(), true);

        for (String sequence : sequences) {
            long next = outbox.value(Long.class, "SELECT nextval('" + sequence + "')");
            assertThat(next)
                    .as(sequence)
                    .isGreaterThan(outbox.value(Long.class, "SELECT max(id) FROM " + sequence.replace("_id_seq", "")));
        }
    }

    @Test
    void sequenceThatLeadsIsLeftAlone() {
        outbox.publish("1", new OrderPlaced(1));
        outbox.value(Long.class, "SELECT setval('events.outbox_id_seq', 5000)");

        start(outbox.owner(), true);

        assertThat(outbox.publish("1", new OrderPlaced(2)).id()).isEqualTo(5001);
    }

    @Test
    void roleThatMayNotMoveASequenceGetsTheStatement() {
        outbox.publish("1", new OrderPlaced(1));
        restart();

        assertThatThrownBy(() -> start(outbox.dataSource(), false))
                .isInstanceOfSatisfying(OutboxConfigurationException.class, (ex) -> {
                    assertThat(ex.problem())
                            .startsWith("sequences of the outbox lag behind their tables")
                            .contains("events.outbox_id_seq (events.outbox has id 1)");
                    outbox.sql()
                            .sql(ex.remedy().substring(ex.remedy().indexOf("SELECT")))
                            .query()
                            .listOfRows();
                });
        start(outbox.dataSource(), false);
        assertThat(outbox.publish("1", new OrderPlaced(2)).id()).isGreaterThan(1);
    }

    @Test
    void instancesThatStartTogetherMoveASequenceOnce() {
        outbox.publish("1", new OrderPlaced(1));
        restart();
        List<CompletableFuture<Void>> starts = List.of(1, 2, 3, 4).stream()
                .map((instance) -> CompletableFuture.runAsync(() -> start(outbox.owner(), true)))
                .toList();
        starts.forEach(CompletableFuture::join);

        assertThat(outbox.publish("1", new OrderPlaced(2)).id()).isEqualTo(1002);
    }

    @Test
    void workerMovesTheSequenceIfItMay() throws SQLException {
        outbox.addStream("default");
        outbox.publish("1", new OrderPlaced(1));
        outbox.update("UPDATE events.outbox_stream SET next_mark = 1");
        restart();
        outbox.update("GRANT UPDATE ON SEQUENCE events.outbox_id_seq TO "
                + outbox.database().application());

        assertThat(new ClaimSteps(outbox).claim(10, NO_HANDLERS).events()).hasSize(1);
        assertThat(outbox.publish("1", new OrderPlaced(2)).id()).isEqualTo(1002);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void largestIdIsReadFromTheIndexes(boolean analyzed) throws SQLException {
        new BulkRows(outbox).events(20_000, "n::text", "1");
        if (analyzed) {
            outbox.update("ANALYZE events.outbox");
        }

        JsonNode plan = new Explained(outbox.dataSource())
                .explain(SequenceCheck.LARGEST.replace("{column}", "id").replace("{table}", "events.outbox"), "", "");
        assertThat(Explained.pages(plan)).isLessThan(20);
    }

    private void start(DataSource dataSource, boolean migrate) {
        new OutboxMigrations(dataSource, OutboxSchema.DEFAULT, ARCHIVE).start(migrate);
    }

    private List<String> sequences() {
        return outbox.values(
                String.class,
                "SELECT schemaname || '.' || sequencename FROM pg_sequences WHERE schemaname IN ('events', 'audit')");
    }

    private void restart() {
        sequences().forEach((sequence) -> outbox.update("ALTER SEQUENCE " + sequence + " RESTART"));
    }
}
