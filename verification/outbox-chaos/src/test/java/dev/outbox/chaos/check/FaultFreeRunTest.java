package dev.outbox.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.liveness.Service;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Without faults, no handler of two instances succeeds twice with any of a million events. In rounds, each with a database of its own, so
 * that the history of a round fits into the heap.
 */
@Tag("chaos")
class FaultFreeRunTest {

    private static final int EVENTS = Integer.getInteger("chaos.faultFree.events", 1_000_000);
    private static final int ROUND = Math.min(EVENTS, 100_000);
    private static final int TRANSACTION = 100;

    @TempDir
    private Path directory;

    @Test
    void nothingIsDuplicated() {
        long begun = System.nanoTime();
        long executions = 0;
        for (int round = 0; round < EVENTS / ROUND; round++) {
            Report report = run(round);
            assertThat(report.isClean()).as(report::toString).isTrue();
            assertThat(report.ok()).isEqualTo(ROUND);
            assertThat(report.duplicated()).isZero();
            executions += report.executions();
            System.out.printf(
                    "fault-free: %,d events, %,d executions, 0 duplicates, %.0f s%n",
                    (round + 1) * ROUND, executions, (System.nanoTime() - begun) / 1e9);
        }
        assertThat(executions).isEqualTo(2L * EVENTS);
    }

    private Report run(int round) {
        List<HandlerDefinition> handlers = List.of(
                HandlerDefinition.of("mail", Set.of("Traded"), (event) -> {}),
                HandlerDefinition.of("audit", Set.of("*"), (event) -> {}));
        try (Service service = new Service(directory.resolve("round-" + round))) {
            service.start("worker-1", handlers);
            service.start("worker-2", handlers);
            for (int first = 0; first < ROUND; first += TRANSACTION) {
                service.publish(events(first), true);
            }
            service.awaitHandled(Duration.ofMinutes(10));
            return service.check(CheckSettings.defaults());
        }
    }

    private static List<IntendedEvent> events(int first) {
        return IntStream.range(first, first + TRANSACTION)
                .mapToObj((i) -> new IntendedEvent(
                        new UUID(0, i),
                        "Traded",
                        "account",
                        "a" + i % 997,
                        "{\"number\":" + i + ",\"text\":\"an event of many\"}",
                        Map.of()))
                .sorted(Comparator.comparing(IntendedEvent::aggregateId))
                .toList();
    }
}
