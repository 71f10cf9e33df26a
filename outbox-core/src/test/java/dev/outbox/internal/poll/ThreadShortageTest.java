package dev.outbox.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.fixture.ThreadShortage;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("full")
class ThreadShortageTest {

    private static final String POLLER = "outbox-poller-";
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void batchIsReleasedWhenHandlerThreadFailsToStart(int spared) {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler).stream("default", concurrent());
        publish(8);
        try (ThreadShortage shortage = ThreadShortage.of(POLLER, spared, 2)) {
            outbox.start();
            outbox.awaitPublished(8);
            assertThat(shortage.isOver()).isTrue();
        }
        await().until(() -> outbox.claims() == 0);
        assertThat(handler.handled()).hasSize(8);
    }

    @Test
    void retryIsReleasedWhenHandlerThreadFailsToStart() {
        Recorded handler = Recorded.failing((attempt) -> attempt.number() == 1 ? new IOException("once") : null);
        outbox.handler("any", "*", handler).retry(TestOutbox.AT_ONCE).stream("default", concurrent());
        publish(1);
        try (ThreadShortage shortage = ThreadShortage.of(POLLER, 1, 2)) {
            outbox.start();
            outbox.awaitPublished(1);
            assertThat(shortage.isOver()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void pollerContinuesAloneWithoutOtherThreads(int spared) {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler).poller(Duration.ofMillis(50), 10, LEASE);
        publish(100);
        try (ThreadShortage shortage = ThreadShortage.of(POLLER, spared, 3)) {
            outbox.start();
            outbox.awaitPublished(100);
            assertThat(shortage.isOver()).isTrue();
        }
        await().until(() -> outbox.claims() == 0);
        assertThat(handler.handled()).hasSize(100);
    }

    private static PollerSettings concurrent() {
        return new PollerSettings(Duration.ofMillis(50), 20, 4, LEASE, Duration.ofSeconds(10));
    }

    private void publish(int aggregates) {
        IntStream.rangeClosed(1, aggregates)
                .forEach((aggregate) -> outbox.publish("" + aggregate, new OrderPlaced(aggregate)));
    }
}
