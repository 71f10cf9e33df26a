package dev.outbox.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two movers beside publishers that schedule, replace, cancel and publish for the same few aggregates. */
@Tag("full")
class ScheduledRacesTest {

    private static final int PUBLISHERS = 4;
    private static final int TRANSACTIONS = 400;
    private static final int AGGREGATES = 3;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Set<UUID> scheduled = ConcurrentHashMap.newKeySet();
    private final Set<UUID> published = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean done = new AtomicBoolean();

    @Test
    void everyEventIsMovedOnceOrWithdrawnAndSequencesHaveNoGaps() throws SQLException {
        Set<UUID> withdrawn = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Object>> movers = List.of(InBackground.run(this::move), InBackground.run(this::move));
        List<CompletableFuture<Object>> publishers = new ArrayList<>();
        for (int publisher = 0; publisher < PUBLISHERS; publisher++) {
            Random random = new Random(publisher);
            publishers.add(InBackground.run(work(random, withdrawn)));
        }
        publishers.forEach(InBackground::result);
        done.set(true);
        movers.forEach(InBackground::result);
        outbox.update("UPDATE events.outbox_scheduled SET due_at = now()");
        while (outbox.scheduled() > 0) {
            mover().runOnce();
        }

        Set<UUID> expected = new HashSet<>(scheduled);
        expected.removeAll(withdrawn);
        expected.addAll(published);
        assertThat(withdrawn).isNotEmpty();
        assertThat(outbox.values(UUID.class, "SELECT event_id FROM events.outbox"))
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(outbox.values(
                        Boolean.class, "SELECT count(*) = max(aggregate_seq) FROM events.outbox GROUP BY aggregate_id"))
                .hasSize(AGGREGATES)
                .containsOnly(true);
        assertThat(outbox.value(
                        Long.class,
                        "SELECT count(*) FROM (SELECT aggregate_seq - lag(aggregate_seq) OVER (PARTITION BY aggregate_id"
                                + " ORDER BY id) AS step FROM events.outbox) s WHERE step <> 1"))
                .isZero();
    }

    /** The event that is withdrawn or replaced is known by the table, under the lock that both take. */
    private Callable<Object> work(Random random, Set<UUID> withdrawn) {
        return () -> {
            for (int n = 0; n < TRANSACTIONS; n++) {
                String id = Integer.toString(random.nextInt(AGGREGATES));
                OutboxEvent event = OutboxEvent.of("order", id, new OrderPaid(n));
                int kind = random.nextInt(4);
                outbox.inTransaction(() -> {
                    if (kind == 0) {
                        published.add(outbox.publisher().publish(event).eventId());
                        return true;
                    }
                    outbox.update(
                            "INSERT INTO events.outbox_aggregate VALUES ('order', '" + id
                                    + "', 0) ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE SET last_seq = outbox_aggregate.last_seq");
                    List<UUID> before = outbox.values(
                            UUID.class,
                            "SELECT event_id FROM events.outbox_scheduled WHERE aggregate_id = '" + id
                                    + "' AND key = 'k'");
                    if (kind == 1) {
                        assertThat(outbox.publisher().cancel("order", id, "k")).isEqualTo(!before.isEmpty());
                    } else {
                        Duration delay = Duration.ofMillis(random.nextInt(4));
                        scheduled.add(outbox.publisher()
                                .publish(event.deliverAfter(delay).withKey("k"))
                                .eventId());
                    }
                    withdrawn.addAll(before);
                    return true;
                });
            }
            return true;
        };
    }

    private Object move() throws SQLException {
        ScheduleMover mover = mover();
        while (!done.get()) {
            mover.runOnce();
        }
        return true;
    }

    private ScheduleMover mover() {
        return new ScheduleMover(outbox.dataSource(), OutboxSchema.DEFAULT, Set.of("default"), (stream, events) -> {});
    }
}
