package dev.outbox.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What the move of scheduled events reads of a large table, whether it was analyzed or not. */
@Tag("full")
class ScheduledPlansTest {

    private static final int ROWS = 60_000;
    private static final int BATCH = 500;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @ParameterizedTest
    @CsvSource({
        "0, true, -infinity",
        "0, false, -infinity",
        "60000, true, -infinity",
        "60000, false, -infinity",
        "60000, true, 2000-01-01",
        "60000, false, 2000-01-01"
    })
    void moveReadsItsBatchOnly(int overdue, boolean analyzed, String from) throws SQLException {
        outbox.addStream("default");
        outbox.update("INSERT INTO events.outbox_aggregate_type (aggregate_type, counted) VALUES ('order', true)");
        outbox.update(
                "INSERT INTO events.outbox_aggregate SELECT 'order', n::text, 0 FROM generate_series(1, 120000) n");
        add(1, ROWS, "now() + interval '1 hour'");
        add(ROWS + 1, ROWS + overdue, "now() - interval '1 hour'");
        if (analyzed) {
            outbox.update("ANALYZE events.outbox_scheduled, events.outbox_aggregate, events.outbox_aggregate_type");
        }

        JsonNode plan = new Explained(outbox.dataSource(), Pipeline.IN_INDEX_ORDER)
                .explain(
                        ScheduleStore.MOVE,
                        "text[], text[], text[], bigint, bigint, bigint, bigint",
                        "'{default}', '{%s}', '{00000000-0000-0000-0000-000000000000}', 500, ".formatted(from) + BATCH
                                + ", 20, " + BATCH);

        assertThat(Explained.rowsVisited(plan, "outbox_scheduled")).isLessThanOrEqualTo(4L * BATCH);
        assertThat(Explained.rowsVisited(plan, "outbox_aggregate")).isLessThanOrEqualTo(4L * BATCH);
        assertThat(Explained.pages(plan)).isLessThan(60 * BATCH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isolationReadsTheEventsItMoves(boolean analyzed) throws SQLException {
        add(1, ROWS, "now() - interval '1 hour'");
        if (analyzed) {
            outbox.update("ANALYZE events.outbox_scheduled");
        }

        JsonNode due = new Explained(outbox.dataSource(), Pipeline.IN_INDEX_ORDER)
                .explain(ScheduleStore.DUE, "text, bigint", "'default', " + BATCH);
        JsonNode aside = new Explained(outbox.dataSource())
                .explain(ScheduleStore.PUT_ASIDE, "text, uuid, text", "'refused', gen_random_uuid(), 'now'");

        assertThat(Explained.rowsVisited(due, "outbox_scheduled")).isEqualTo(BATCH);
        assertThat(Explained.pages(due)).isLessThan(4 * BATCH);
        assertThat(Explained.pages(aside)).isLessThan(20);
    }

    private void add(int first, int last, String due) {
        outbox.update(
                "INSERT INTO events.outbox_scheduled (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version,"
                        + " payload, headers, due_at) SELECT gen_random_uuid(), 'default', 'order', n::text, 'OrderPaid', 1, '{}', '{}', "
                        + due + " FROM generate_series(" + first + ", " + last + ") n");
    }
}
