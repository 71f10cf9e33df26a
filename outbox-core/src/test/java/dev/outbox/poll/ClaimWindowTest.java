package dev.outbox.poll;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.observe.OutboxObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClaimWindowTest {

    private final TestOutbox outbox = TestOutbox.create();
    private final AtomicInteger claims = new AtomicInteger();
    private final Recorded handled = Recorded.all();

    @AfterEach
    void close() {
        outbox.close();
    }

    /** The slow publisher has the higher transaction id and the lower event id; no snapshot lists it as running. */
    @Test
    void slowPublisherWithYoungestTransactionKeepsOrder() {
        CountDownLatch inserted = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        outbox.handler("any", "*", handled)
                .observer(new OutboxObserver() {
                    @Override
                    public void claimed(String stream, Duration duration, int events) {
                        claims.incrementAndGet();
                    }
                })
                .poller(Duration.ofMillis(20), 50, Duration.ofSeconds(30))
                .start();
        CompletableFuture<EventEnvelope> slow = outbox.inTransaction(() -> {
            outbox.sql()
                    .sql("SELECT pg_current_xact_id()::text")
                    .query(String.class)
                    .single();
            CompletableFuture<EventEnvelope> publisher = InBackground.run(() -> outbox.inTransaction(() -> {
                EventEnvelope event = outbox.publisher().publish("order", "slow", new OrderPlaced(1));
                inserted.countDown();
                awaitLatch(mayCommit);
                return event;
            }));
            awaitLatch(inserted);
            outbox.publisher().publish("order", "fast", new OrderPlaced(1));
            return publisher;
        });
        await().until(() -> handled.sequences().containsKey("fast"));
        int before = claims.get();
        await().until(() -> claims.get() > before + 10);

        mayCommit.countDown();
        InBackground.result(slow);
        outbox.publish("slow", new OrderPlaced(2));

        await().until(() -> handled.sequences().getOrDefault("slow", List.of()).contains(2L));
        assertThat(handled.sequences()).containsEntry("slow", List.of(1L, 2L));
    }
}
