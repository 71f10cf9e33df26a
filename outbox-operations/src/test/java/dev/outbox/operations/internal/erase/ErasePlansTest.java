package dev.outbox.operations.internal.erase;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What an erasure reads of a long history. */
@Tag("full")
class ErasePlansTest {

    private static final int ROWS = 60_000;
    private static final int WINDOW = 5_000;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void fillHistory() {
        outbox.sql()
                .sql(
                        "INSERT INTO events.outbox (event_id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status,"
                                + " dispatched_at, published_at) SELECT lpad(n::text, 32, '0')::uuid, 'order', (n % 100)::text, n, 'OrderPlaced',"
                                + " '{\"a\": 1}', 'PUBLISHED', now(), now() FROM generate_series(1, " + ROWS + ") n")
                .update();
        outbox.sql().sql("ANALYZE events.outbox").update();
    }

    @Test
    void pageReadsItsWindowOnly() throws SQLException {
        JsonNode plan = new Explained(outbox.owner(), Pipeline.IN_INDEX_ORDER)
                .explain(
                        EraseStore.PAGE.replace("{table}", "{schema}.outbox").replace("{event_id}", "event_id"),
                        "bigint, text, text, bigint",
                        WINDOW + ", 'order', '42', 20000");

        assertThat(Explained.rowsVisited(plan, "outbox_published")).isLessThanOrEqualTo(WINDOW + 1);
        assertThat(Explained.pages(plan)).isLessThan(WINDOW);
    }

    @Test
    void batchReadsItsEventsOnly() throws SQLException {
        String ids = IntStream.range(20_000, 20_500)
                .mapToObj("%032d"::formatted)
                .collect(Collectors.joining(",", "'{", "}'"));
        JsonNode plan = new Explained(outbox.owner())
                .explain(EraseStore.ERASE, "uuid[], text, text, bigint", ids + ", 'ann', 'request', 1");

        assertThat(Explained.rowsVisited(plan, "outbox_published")).isLessThanOrEqualTo(1000);
        assertThat(Explained.pages(plan)).isLessThan(20 * 500);
    }
}
