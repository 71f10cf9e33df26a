package dev.outbox.internal.claim;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SlowPublisherTest {

    private static final PollerSettings FOUR_HANDLERS =
            new PollerSettings(Duration.ofMillis(200), 50, 4, Duration.ofSeconds(60), Duration.ofSeconds(10));

    /** Holds a claim up between its lock of the stream and the snapshot that it selects events with. */
    private static final String GATE = """
            CREATE FUNCTION wait_at_the_gate() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM pg_advisory_xact_lock(1);
                RETURN OLD;
            END
            $$;
            CREATE TRIGGER gate BEFORE DELETE ON events.outbox_claim
                FOR EACH ROW WHEN (OLD.worker = 'gone') EXECUTE FUNCTION wait_at_the_gate();
            """;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox other = outbox.another();
    private final AtomicInteger claims = new AtomicInteger();
    private final Recorded handled = Recorded.all();

    /** The slow publisher has a higher transaction id and a lower event id than the fast one; the claim's lock is older than both. */
    @Test
    @Guarantee(
            value = "G3",
            sentence = "Order holds when a publisher takes its transaction id while another process claims.")
    void slowPublisherBehindTheLockKeepsOrder() throws SQLException {
        leaveAnExpiredClaim();
        outbox.update(GATE);
        CountDownLatch mayHandle = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        outbox
                .handler("any", "*", (envelope) -> {
                    awaitLatch(mayHandle);
                    handled.handle(envelope);
                })
                .onClaim((events) -> {
                    // Between the second claim and the third, everything that was seen is settled.
                    if (claims.incrementAndGet() == 2) {
                        mayHandle.countDown();
                    }
                })
                .stream("default", FOUR_HANDLERS);
        CompletableFuture<EventEnvelope> slow;
        try (OpenTransaction gate = OpenTransaction.of(outbox.database().dataSource())) {
            gate.run("SELECT pg_advisory_lock(1)");
            outbox.start();
            awaitClaimAtTheGate();
            slow = publishFastBesideSlow(mayCommit);
        }
        await().until(() -> claims.get() > 5 && outbox.unpublished() == 0);

        mayCommit.countDown();
        InBackground.result(slow);
        outbox.publish("slow", new OrderPlaced(2));

        await().until(() -> handled.sequences().getOrDefault("slow", List.of()).contains(2L));
        assertThat(handled.sequences()).containsEntry("fast", List.of(1L)).containsEntry("slow", List.of(1L, 2L));
    }

    private void leaveAnExpiredClaim() {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        other
                .handler("any", "*", (envelope) -> {
                    handling.countDown();
                    never.await();
                })
                .stream(
                        "default",
                        new PollerSettings(Duration.ofMillis(20), 50, Duration.ofSeconds(600), Duration.ofSeconds(1)))
                .start();
        other.publish("held", new OrderPlaced(1));
        awaitLatch(handling);
        other.update("UPDATE events.outbox_claim SET worker = 'gone', locked_until = now() - interval '1 s',"
                + " event_ids = '{}', aggregates = '{}'");
    }

    private void awaitClaimAtTheGate() {
        await().until(() -> outbox.value(
                Boolean.class,
                "SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                        + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted)"));
    }

    /** Returns when the fast event is committed and the slow one inserted. */
    private CompletableFuture<EventEnvelope> publishFastBesideSlow(CountDownLatch mayCommit) {
        CountDownLatch inserted = new CountDownLatch(1);
        return outbox.inTransaction(() -> {
            outbox.value(String.class, "SELECT pg_current_xact_id()::text");
            CompletableFuture<EventEnvelope> slow = InBackground.run(() -> outbox.inTransaction(() -> {
                EventEnvelope event = outbox.publisher().publish("order", "slow", new OrderPlaced(1));
                inserted.countDown();
                awaitLatch(mayCommit);
                return event;
            }));
            awaitLatch(inserted);
            outbox.publisher().publish("order", "fast", new OrderPlaced(1));
            return slow;
        });
    }
}
