package dev.outbox.operations.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Rows that a page of a bulk visits among many that it does not change. */
@Tag("full")
class BulkPlansTest {

    private static final int WINDOW = 10_000;

    @ParameterizedTest
    @CsvSource({"OPEN, true", "OPEN, false", "DEAD, true", "DEAD, false"})
    void pageVisitsItsWindowOnly(String status, boolean analyzed) throws SQLException {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.sql()
                    .sql("ALTER TABLE events.outbox_delivery SET (autovacuum_enabled = false)")
                    .update();
            outbox.sql().sql("""
                            INSERT INTO events.outbox_delivery (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq,
                                                                event_type, status, next_retry_at)
                            SELECT n, 'mail', 'default', 'order', n, 1, 'OrderPlaced', :status, CASE :status WHEN 'OPEN' THEN now() END
                              FROM generate_series(1, 60000) n
                            """).param("status", status).update();
            if (analyzed) {
                outbox.sql().sql("ANALYZE events.outbox_delivery").update();
            }
            boolean open = status.equals("OPEN");
            JsonNode reach = new Explained(outbox.dataSource(), Pipeline.PLAN_WITH_VALUES, Pipeline.IN_INDEX_ORDER)
                    .explain(DeliveryQueryStore.REACH, "bigint, bigint, boolean", "60000, 20000, " + open);
            JsonNode page = new Explained(outbox.dataSource(), Pipeline.PLAN_WITH_VALUES)
                    .explain(
                            DeliveryQueryStore.FIND_CHANGEABLE,
                            "text, text, text, uuid[], text, text, text, bigint, timestamptz, timestamptz, boolean, boolean, bigint, text,"
                                    + " text, bigint, timestamptz, int",
                            "'mail', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, " + open
                                    + ", true, 20000, 'mail'," + " 'RETRY', 30001, '-infinity', 500");

            assertThat(Explained.rowsVisited(reach, "outbox_delivery")).isEqualTo(WINDOW + 1);
            assertThat(Explained.rowsVisited(page, "outbox_delivery")).isEqualTo(WINDOW + 1);
        }
    }
}
