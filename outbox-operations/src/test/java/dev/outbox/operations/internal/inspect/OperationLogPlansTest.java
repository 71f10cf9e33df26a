package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Rows that pages of the operation log visit: two retries of 30,000 deliveries are two commands. */
@Tag("full")
class OperationLogPlansTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pageVisitsItsRowsOnly(boolean analyzed) throws SQLException {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.sql()
                    .sql("ALTER TABLE events.outbox_operation SET (autovacuum_enabled = false)")
                    .update();
            for (long command : new long[] {1, 40_000}) {
                outbox.sql().sql("""
                                INSERT INTO events.outbox_operation (id, performed_by, action, reason, command_id, handler_id, event_id)
                                SELECT :command + n, 'ann', 'RETRY', 'mail is back', :command, 'mail', gen_random_uuid()
                                  FROM generate_series(1, 30000) n
                                """).param("command", command).update();
                outbox.sql().sql("""
                                INSERT INTO events.outbox_replay (handler_id, rate, kind, deliveries, up_to_id, command_id, requested_by, reason)
                                VALUES ('mail', 100, 'RETRY', '{}', 1, ?, 'ann', 'mail is back')
                                """).param(command).update();
            }
            if (analyzed) {
                outbox.sql().sql("ANALYZE events.outbox_operation").update();
            }
            Explained explained =
                    new Explained(outbox.dataSource(), Pipeline.PLAN_WITH_VALUES, Pipeline.IN_INDEX_ORDER);

            JsonNode entries = explained.explain(
                    OperationLogStore.ENTRIES,
                    "uuid, text, text, timestamptz, timestamptz, bigint, bigint, int",
                    "NULL, NULL, NULL, NULL, NULL, 20000, 1, 51");
            JsonNode commands = explained.explain(
                    OperationLogStore.COMMANDS,
                    "bigint, uuid, text, text, timestamptz, timestamptz, int",
                    "NULL, NULL, NULL, NULL, NULL, NULL, 51");

            assertThat(Explained.rowsVisited(entries, "outbox_operation")).isEqualTo(51);
            assertThat(Explained.rowsVisited(commands, "outbox_operation")).isLessThan(20);
        }
    }
}
