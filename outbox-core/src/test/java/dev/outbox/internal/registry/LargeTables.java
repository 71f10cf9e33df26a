package dev.outbox.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.gauges.GaugeSteps;
import dev.outbox.internal.lane.LaneSteps;
import dev.outbox.internal.retention.RetentionSteps;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Figures of large tables, for docs/performance.md; run by name only ({@code -Dtest=LargeTables}), since they take minutes and 10 GB. */
class LargeTables {

    private static final int CHUNK = 1_000_000;
    private static final int BATCH = 1_000;
    private static final Duration MONTH = Duration.ofDays(30);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final BulkRows rows = new BulkRows(outbox);

    @Test
    void archiveReadsEachPageOnce() throws SQLException {
        int history = Integer.getInteger("outbox.large.history", 20_000_000);
        int expired = Integer.getInteger("outbox.large.expired", 1_000_000);
        addHistory("60 days", expired);
        outbox.update("DELETE FROM events.outbox_published");
        outbox.update("VACUUM events.outbox_published");
        addHistory("29 days", history / 2);
        addHistory("31 days", expired);
        addHistory("10 days", history - expired - history / 2);
        outbox.update("VACUUM ANALYZE events.outbox_published");
        outbox.update("CHECKPOINT");
        long pages = outbox.value(
                Long.class,
                "SELECT count(DISTINCT (ctid::text::point)[0]) FROM events.outbox_published"
                        + " WHERE published_at < now() - interval '30 days'");
        long readBefore = pagesRead();

        RetentionSteps retention = new RetentionSteps(outbox, MONTH, true, BATCH);
        List<Long> nanos = new ArrayList<>();
        int archived;
        do {
            long begun = System.nanoTime();
            archived = retention.next();
            nanos.add(System.nanoTime() - begun);
        } while (archived == BATCH);

        assertThat(outbox.count("audit.events")).isEqualTo(expired);
        await().pollDelay(Duration.ofSeconds(2)).until(() -> pagesRead() > readBefore);
        double ratio = (double) (pagesRead() - readBefore) / pages;
        int tenth = nanos.size() / 10;
        System.out.printf(
                "archive %d of %d events: %d pages hold them, %.2f of that were read; first tenth %.0f events/s, last tenth %.0f"
                        + " events/s%n",
                expired,
                history,
                pages,
                ratio,
                rate(nanos.subList(0, tenth)),
                rate(nanos.subList(nanos.size() - 1 - tenth, nanos.size() - 1)));
        assertThat(ratio).isLessThan(1.3);
    }

    @Test
    void oneDueHeadAmongMany() throws SQLException {
        int heads = Integer.getInteger("outbox.large.heads", 1_000_000);
        outbox.addStream("default");
        rows.lanes(heads, "now() + interval '1 day'", false, 0);
        rows.lanes(100_000, "now() + interval '1 hour'", true, 0);
        rows.lanes(100_000, "now() - interval '1 min'", true, 1);
        outbox.update("VACUUM ANALYZE events.outbox_delivery, events.outbox_unpublished");
        LaneSteps deliveries = new LaneSteps(outbox);
        List<Long> nanos = new ArrayList<>();
        for (int round = 0; round < 200; round++) {
            rows.lanes(1, "now() - interval '1 s'", false, 0);
            long begun = System.nanoTime();
            List<DueDelivery> due = deliveries.claimDueWithoutSuspects(50, ActiveHandlers.ofAllTypes("mail"));
            nanos.add(System.nanoTime() - begun);
            assertThat(due).hasSize(1);
        }
        System.out.printf(
                "claim of one due head among %d waiting, 100000 leased and 100000 crashed ones: %.2f ms at the median%n",
                heads, nanos.stream().sorted().skip(100).findFirst().orElseThrow() / 1e6);
    }

    @Test
    void gaugesOfALongQueue() throws SQLException {
        int pending = Integer.getInteger("outbox.large.pending", 10_000_000);
        rows.events(pending, "(n % 1000)::text", "n");
        List<Long> nanos = new ArrayList<>();
        for (int round = 0; round < 21; round++) {
            long begun = System.nanoTime();
            assertThat(GaugeSteps.count(outbox.dataSource())
                            .get("default")
                            .pending()
                            .value())
                    .isBetween(pending / 2L, pending * 2L);
            nanos.add(System.nanoTime() - begun);
        }
        System.out.printf(
                "gauges at %d pending events: %.1f ms at the median%n",
                pending, nanos.stream().sorted().skip(10).findFirst().orElseThrow() / 1e6);
    }

    private static double rate(List<Long> nanos) {
        return BATCH * nanos.size() / (nanos.stream().mapToLong(Long::longValue).sum() / 1e9);
    }

    private long pagesRead() {
        return outbox.value(
                Long.class, "SELECT heap_blks_read FROM pg_statio_user_tables WHERE relname = 'outbox_published'");
    }

    /** Spread over the ten hours behind an age; with ids in the order of time, as publishers give them. */
    private void addHistory(String age, int events) {
        for (int first = 1; first <= events; first += CHUNK) {
            outbox.sql()
                    .sql("""
                            INSERT INTO events.outbox_published
                                   (id, event_id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, dispatched_at,
                                    published_at)
                            SELECT id, ('01900000-0000-7000-8000-' || lpad(to_hex(id), 12, '0'))::uuid, 'order', (n % 1000)::text, n,
                                   'OrderPlaced',
                                   jsonb_build_object('number', n, 'note', repeat('0123456789', 10)), 'PUBLISHED', now(),
                                   now() - :age::interval + n * interval '10 hours' / :events
                              FROM (SELECT n, nextval('events.outbox_id_seq') AS id
                                      FROM generate_series(:first::bigint, :last::bigint) n) event
                            """)
                    .param("age", age)
                    .param("events", (double) events)
                    .param("first", first)
                    .param("last", Math.min(events, first + CHUNK - 1))
                    .update();
        }
    }
}
