package dev.outbox.chaos.liveness;

import static dev.outbox.chaos.liveness.Service.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.testing.Guarantee;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** One aggregate has a long backlog, and three instances handle it: it drains in order, and events of other aggregates pass it. */
@Tag("full")
@Tag("liveness")
@Isolated
class LongAggregateTest {

    private static final int EVENTS = 100_000;
    private static final int TRANSACTION = 1000;
    private static final Duration TRAFFIC = Duration.ofSeconds(10);
    private static final Duration CALL = Duration.ofMillis(1);
    private static final Duration BOUND = Duration.ofSeconds(15);
    private static final Duration DRAIN_DEADLINE = Duration.ofMinutes(3);

    /** If claims read the whole backlog, three instances read some thousand rows for each event that they handle. */
    private static final long READ_PER_EVENT = 1_000;

    private static final String COUNTED = "Counted";
    private static final String ORDERED = "Ordered";

    private volatile boolean draining;

    @TempDir
    private Path directory;

    @Test
    @Guarantee(
            value = "G4",
            sentence =
                    "Beside 100,000 events of one aggregate, three instances handle events of other aggregates within 15 s.")
    void longBacklogOfOneAggregateDelaysNoOther() {
        try (Service service = new Service(directory)) {
            publishBacklog(service);
            for (int number = 1; number <= 3; number++) {
                service.start("worker-" + number, handlers());
            }
            service.publish(event(ORDERED, "first"));
            service.awaitHandled(BOUND, ORDERED);
            long handledBefore = EVENTS - service.unhandled(COUNTED);
            long readBefore = rowsRead(service);

            service.publishSteadily(ORDERED, 20, Duration.ofMillis(50), TRAFFIC);

            long handled = EVENTS - service.unhandled(COUNTED) - handledBefore;
            long readPerEvent = (rowsRead(service) - readBefore) / handled;
            System.out.printf(
                    "liveness: %d events of one aggregate handled in %s, %d rows read for each%n",
                    handled, TRAFFIC, readPerEvent);
            service.awaitHandled(BOUND, ORDERED);
            draining = true;
            service.awaitHandled(DRAIN_DEADLINE);
            assertThat(service.check(CheckSettings.defaults()
                                    .withLongestWait(BOUND)
                                    .withBacklogDeadline(DRAIN_DEADLINE.plus(BOUND)))
                            .violations())
                    .isEmpty();
            assertThat(readPerEvent).as("rows read for each event").isLessThan(READ_PER_EVENT);
        }
    }

    private static void publishBacklog(Service service) {
        for (int first = 0; first < EVENTS; first += TRANSACTION) {
            service.publish(IntStream.range(0, TRANSACTION)
                    .mapToObj((i) -> event(COUNTED, "hot"))
                    .toArray(IntendedEvent[]::new));
        }
    }

    private static long rowsRead(Service service) {
        return service.sql()
                .sql("SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'outbox_unpublished'")
                .query(Long.class)
                .single();
    }

    private List<HandlerDefinition> handlers() {
        return List.of(
                HandlerDefinition.of("counter", Set.of(COUNTED), (event) -> count()),
                HandlerDefinition.of("orders", Set.of(ORDERED), (event) -> {}));
    }

    /** Takes a millisecond, until the backlog is to drain. */
    private void count() {
        if (!draining) {
            LockSupport.parkNanos(CALL.toNanos());
        }
    }
}
