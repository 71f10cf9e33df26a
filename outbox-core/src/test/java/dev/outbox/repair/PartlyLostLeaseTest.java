package dev.outbox.repair;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartlyLostLeaseTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final TestOutbox late = TestOutbox.create();
    private final TestOutbox owner = late.another();
    private final CountDownLatch began = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final Recorded handledLate = Recorded.all();
    private final Recorded handledByOwner = Recorded.all();

    @AfterEach
    void close() {
        mayEnd.countDown();
        owner.close();
        late.close();
    }

    @Test
    void renewalRevivesNoLostDelivery() {
        late.handler("any", "*", (envelope) -> {
                    handledLate.handle(envelope);
                    began.countDown();
                    awaitLatch(mayEnd);
                })
                .poller(Duration.ofMillis(20), 50, LEASE);
        Lanes lanes = new Lanes(late);
        EventEnvelope held = lanes.publish("held", 1).get(0);
        EventEnvelope lost = lanes.publish("lost", 1).get(0);
        List.of(held, lost).forEach((event) -> lanes.failed("any", event));
        becomeDueInOrder();
        late.start();
        awaitLatch(began);

        expire(lost);
        owner.handler("any", "*", handledByOwner)
                .poller(Duration.ofMillis(20), 50, LEASE)
                .start();
        await().until(() -> late.statusOf(lost).equals("PUBLISHED"));
        // Longer than a lease: only renewals keep the rest of the batch.
        await().atMost(LEASE.multipliedBy(3)).until(() -> renewedAfter(held) > LEASE.toMillis());
        mayEnd.countDown();

        await().until(() -> late.statusOf(held).equals("PUBLISHED"));
        late.runtime().close();
        assertThat(handledByOwner.sequences()).containsOnlyKeys("lost");
        assertThat(handledLate.sequences())
                .as("the late worker starts nothing that it has lost")
                .containsOnlyKeys("held");
    }

    private void becomeDueInOrder() {
        late.sql()
                .sql("UPDATE events.outbox_delivery SET next_retry_at = now()"
                        + " - CASE aggregate_id WHEN 'held' THEN interval '1 s' ELSE interval '0' END")
                .update();
    }

    private void expire(EventEnvelope event) {
        late.sql()
                .sql("UPDATE events.outbox_delivery SET locked_until = now() - interval '1 s' WHERE outbox_id = ?")
                .param(event.id())
                .update();
    }

    /** The milliseconds between the attempt and the end of its lease, less one lease. */
    private long renewedAfter(EventEnvelope event) {
        return late.sql()
                .sql("SELECT extract(epoch FROM locked_until - last_attempt_at)::bigint * 1000 - ? FROM"
                        + " events.outbox_delivery WHERE outbox_id = ?")
                .param(LEASE.toMillis())
                .param(event.id())
                .query(Long.class)
                .single();
    }
}
