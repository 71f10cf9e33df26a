package dev.outbox.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What the move of scheduled events reads of a large table, whether it was analyzed or not. */
@Tag("full")
class ScheduledPlansTest {

    private static final int ROWS = 60_000;
    private static final int BATCH = 500;

    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() {
        outbox.close();
    }

    @ParameterizedTest
    @CsvSource({"0, true", "0, false", "60000, true", "60000, false"})
    void moveReadsItsBatchOnly(int overdue, boolean analyzed) throws SQLException {
        outbox.addStream("default");
        outbox.sql()
                .sql("INSERT INTO events.outbox_aggregate_type (aggregate_type, counted) VALUES ('order', true)")
                .update();
        outbox.sql()
                .sql("INSERT INTO events.outbox_aggregate SELECT 'order', n::text, 0 FROM generate_series(1, 120000) n")
                .update();
        add(1, ROWS, "now() + interval '1 hour'");
        add(ROWS + 1, ROWS + overdue, "now() - interval '1 hour'");
        if (analyzed) {
            outbox.sql()
                    .sql("ANALYZE events.outbox_scheduled, events.outbox_aggregate, events.outbox_aggregate_type")
                    .update();
        }

        JsonNode plan = new Explained(outbox.dataSource(), Pipeline.IN_INDEX_ORDER)
                .explain(
                        ScheduleStore.MOVE,
                        "text[], bigint, bigint, bigint, bigint",
                        "'{default}', 500, " + BATCH + ", 20, " + BATCH);

        assertThat(Explained.rowsVisited(plan, "outbox_scheduled")).isLessThanOrEqualTo(4L * BATCH);
        assertThat(Explained.rowsVisited(plan, "outbox_aggregate")).isLessThanOrEqualTo(4L * BATCH);
        assertThat(Explained.pages(plan)).isLessThan(60 * BATCH);
    }

    private void add(int first, int last, String due) {
        outbox.sql()
                .sql(
                        "INSERT INTO events.outbox_scheduled (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version,"
                                + " payload, headers, due_at) SELECT gen_random_uuid(), 'default', 'order', n::text, 'OrderPaid', 1, '{}', '{}', "
                                + due + " FROM generate_series(" + first + ", " + last + ") n")
                .update();
    }
}
