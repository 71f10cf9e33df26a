package dev.outbox.internal.runtime;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With a pool that is always full, first deliveries and retries take turns. */
class FairRoundsTest {

    private static final int BATCH = 4;
    private static final int BACKLOG = 60;
    static final RetryPolicy IN_AN_HOUR = new RetryPolicy(new Backoff.Delays(List.of(Duration.ofHours(1))), 3);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<String> attempts = new CopyOnWriteArrayList<>();
    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger running = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    @Test
    void dueRetryDoesNotWaitForTheBacklog() throws SQLException {
        outbox.publish("retried", new OrderPlaced(0));
        publishBacklog("new");
        try (Poller poller = poller(TestOutbox.AT_ONCE)) {
            runUntil(poller, () -> attempts.indexOf("retried") < attempts.lastIndexOf("retried"));
        }
        assertThat(attempts.lastIndexOf("retried")).isLessThanOrEqualTo(4 * BATCH);
    }

    @Test
    void firstDeliveryDoesNotWaitForDueRetries() throws SQLException {
        publishBacklog("retried");
        try (Poller poller = poller(IN_AN_HOUR)) {
            runUntil(poller, () -> outbox.deliveries() == BACKLOG);
            new Lanes(outbox).due();
            attempts.clear();
            outbox.publish("new", new OrderPlaced(0));
            runUntil(poller, () -> attempts.contains("new"));
        }
        assertThat(attempts.indexOf("new")).isLessThanOrEqualTo(4 * BATCH);
    }

    private Poller poller(RetryPolicy policy) throws SQLException {
        return new Poller(outbox, HandlerDefinition.of("any", Set.of("*"), this::handle), policy, BATCH, 2);
    }

    /** Holds its thread until the round is over, so that the pool is full while the poller claims. */
    private void handle(EventEnvelope envelope) throws IOException {
        running.incrementAndGet();
        try {
            attempts.add(envelope.aggregateId());
            awaitLatch(gate);
            if (envelope.aggregateId().startsWith("retried") && failed.add(envelope.aggregateId())) {
                throw new IOException("once");
            }
        } finally {
            running.decrementAndGet();
        }
    }

    private void publishBacklog(String name) {
        for (int i = 0; i < BACKLOG; i++) {
            outbox.publish(name + "-" + i, new OrderPlaced(i));
        }
    }

    private interface Condition {
        boolean holds();
    }

    private void runUntil(Poller poller, Condition condition) throws SQLException {
        for (int round = 0; round < 10 * BACKLOG && !condition.holds(); round++) {
            gate = new CountDownLatch(1);
            poller.runOnce();
            gate.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> poller.workers.isIdle() && running.get() == 0);
        }
        assertThat(condition.holds()).isTrue();
    }
}
