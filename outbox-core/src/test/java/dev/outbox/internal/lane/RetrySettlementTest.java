package dev.outbox.internal.lane;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RetrySettlementTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final AtomicBoolean down = new AtomicBoolean(true);
    private final AtomicInteger retries = new AtomicInteger();
    private final CountDownLatch firstRuns = new CountDownLatch(1);
    private final CountDownLatch firstMayEnd = new CountDownLatch(1);
    private final CountDownLatch lastMayEnd = new CountDownLatch(1);

    @AfterEach
    void close() {
        firstMayEnd.countDown();
        lastMayEnd.countDown();
    }

    @Test
    void settlesLanesWhileALaterOneRuns() {
        outbox.handler("mail", "*", Recorded.failing((attempt) -> {
            if (down.get()) {
                return new IOException("down");
            }
            int retry = retries.incrementAndGet();
            if (retry == 1) {
                firstRuns.countDown();
                awaitLatch(firstMayEnd);
            } else if (retry == 3) {
                awaitLatch(lastMayEnd);
            }
            return null;
        }));
        outbox.publishOrders("1", "2", "3");
        outbox.start();
        await().until(() -> outbox.deliveries() == 3);
        down.set(false);
        new Lanes(outbox).due();
        awaitLatch(firstRuns);

        await().pollDelay(Duration.ofMillis(1100)).until(() -> retries.get() == 1);
        firstMayEnd.countDown();

        await().until(() -> outbox.deliveries() < 3);
        assertThat(retries.get()).isLessThanOrEqualTo(3);
        assertThat(outbox.published()).isLessThan(3);
    }
}
