package dev.outbox.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A queue of which most cannot be claimed, because it belongs to aggregates that are claimed already. */
@Tag("full")
class LongQueueTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration NEVER = Duration.ofHours(1);
    private static final int LONG = 300;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final BulkRows rows = new BulkRows(outbox);

    private final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final LeaseStore leases = new LeaseStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final Recorded handler = Recorded.all();

    @Test
    void eventsAmongWhatOthersHaveClaimedAreFoundNearAndFar() throws SQLException {
        rows.events(1, "'long'", "1");
        claimOne();
        rows.events(1, "'near'", "1");
        rows.events(LONG - 1, "'long'", "n + 2");
        rows.events(1, "'far'", "1");
        outbox.handler("any", "*", handler).poller(NEVER, 2, LEASE).start();

        await().until(() -> handler.handled().size() == 2);
        assertThat(handler.sequences()).containsOnlyKeys("near", "far");
    }

    @Test
    void whatOthersSetFreeIsFoundWithoutWaitingForTheInterval() throws SQLException {
        rows.events(LONG, "'long'", "n + 1");
        ClaimStore.Claim others = claimOne();
        AtomicInteger looks = new AtomicInteger();
        outbox.onClaim((events) -> looks.incrementAndGet())
                .handler("any", "*", handler)
                .poller(NEVER, 1, LEASE)
                .start();
        // More than it takes to look as deep as it goes.
        await().until(() -> looks.get() > 30);
        assertThat(handler.handled()).isEmpty();
        leases.release(others.key());

        await().until(() -> handler.handled().size() == LONG);
        assertThat(handler.sequences()).containsEntry("long", upTo(LONG));
    }

    /** However long another worker handles the first one, and however many events other streams have had since. */
    @Test
    void newEventIsFoundAtFirstSight() throws SQLException {
        rows.events(1, "'slow'", "1");
        claimOne();
        rows.events(LONG, "'past'", "n + 1");
        List<Integer> claimed = new CopyOnWriteArrayList<>();
        outbox.onClaim(claimed::add)
                .handler("any", "*", handler)
                .poller(NEVER, 10, LEASE)
                .start();
        await().until(() -> handler.handled().size() == LONG && claimed.get(claimed.size() - 1) == 0);
        int before = claimed.size();
        outbox.value(Long.class, "SELECT setval('events.outbox_id_seq', 1000000)");
        outbox.publish("new", new OrderPlaced(1));

        await().until(() -> handler.handled().size() == LONG + 1);
        assertThat(claimed.get(before)).isEqualTo(1);
    }

    /** Every batch has all the aggregates, so while it is written there is nothing to claim, however far one looks. */
    @Test
    void queueIsNotReadToItsEndForEveryBatch() throws SQLException {
        int aggregates = 20;
        int events = 6_000;
        rows.events(events, "(n % 20)::text", "n / 20 + 1");
        outbox.handler("any", "*", handler).poller(NEVER, aggregates, LEASE).start();
        outbox.awaitPublished(events);
        outbox.runtime().close();

        assertThat(handler.sequences()).hasSize(aggregates).containsEntry("0", upTo(events / aggregates));
        assertThat(entriesRead()).isBetween((long) events, events * 60L);
    }

    private ClaimStore.Claim claimOne() throws SQLException {
        outbox.addStream("default");
        ClaimStore.Request request = ClaimSteps.request("default", "other", 1, LEASE, ActiveHandlers.ofAllTypes());
        return claims.claim(request).orElseThrow().claim();
    }

    private static List<Long> upTo(int last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    /** Sessions report what they have read when they end. */
    private long entriesRead() throws SQLException {
        outbox.dataSource().unwrap(HikariDataSource.class).getHikariPoolMXBean().softEvictConnections();
        await().until(() -> outbox.count(
                        "pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
                                + " AND backend_start < (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())")
                == 0);
        return outbox.value(
                Long.class,
                "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'outbox_unpublished_pending'");
    }
}
