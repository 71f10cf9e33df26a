package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class HandOverAtShutdownTest {

    private static final PollerSettings RARE =
            new PollerSettings(Duration.ofMinutes(10), 50, Duration.ofMinutes(10), Duration.ZERO);

    record Numbered(int number) {}

    @Test
    void eventsThatAreGivenBackAreHandledByAnotherProcessAtOnce() {
        CountDownLatch handling = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        try (TestOutbox stopping = TestOutbox.create();
                TestOutbox other = stopping.another()) {
            stopping.stream("default", RARE)
                    .withNotifications()
                    .handler("any", "*", (event) -> {
                        handling.countDown();
                        new CountDownLatch(1).await();
                    })
                    .start();
            stopping.publish("1", new Numbered(1));
            stopping.publish("1", new Numbered(2));
            await().until(() -> handling.getCount() == 0);
            other.stream("default", RARE)
                    .withNotifications()
                    .handler("any", "*", (event) -> handled.incrementAndGet())
                    .start();
            stopping.awaitListeners(2);
            assertThat(handled).hasValue(0);

            stopping.runtime().close();

            await().until(() -> handled.get() == 2);
        }
    }
}
