package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.fixture.ThreadShortage;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailedStartTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void leavesNothingBehindAndMayBeRepeated(int threadsBefore) {
        Set<Thread> before = outboxThreads();
        Recorded handler = Recorded.all();
        outbox.withNotifications().handler("any", "*", handler);
        outbox.publish("1", new OrderPlaced(1));
        try (ThreadShortage shortage = ThreadShortage.of(Thread.currentThread().getName(), threadsBefore, 1)) {
            assertThatThrownBy(outbox::start).isInstanceOf(OutOfMemoryError.class);
            assertThat(shortage.isOver()).isTrue();
        }
        assertThat(outbox.runtime().isRunning()).isFalse();
        List<Thread> left = outboxThreads().stream()
                .filter((thread) -> !before.contains(thread))
                .toList();
        await().until(() -> left.stream().noneMatch(Thread::isAlive));

        outbox.start();
        outbox.publish("1", new OrderPlaced(2));
        await().until(() -> handler.handled().size() == 2);
    }

    private static Set<Thread> outboxThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter((thread) -> thread.getName().startsWith("outbox-"))
                .collect(Collectors.toSet());
    }
}
