package dev.outbox.chaos.liveness;

import static dev.outbox.chaos.liveness.Service.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.check.Violation;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.testing.Guarantee;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The remote system of one handler times out after 10 s, and it has a full batch to do; another handler of the stream is healthy. */
@Tag("full")
@Tag("liveness")
@Execution(ExecutionMode.CONCURRENT)
class RemoteTimeoutTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RUNNING_CALL = TIMEOUT.plusSeconds(1);
    private static final Duration TRAFFIC = Duration.ofSeconds(20);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int ORDERS = 60;

    private static final String ORDERED = "Ordered";
    private static final String SHIPPED = "Shipped";

    private final CountDownLatch timingOut = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicBoolean healthy = new AtomicBoolean(true);

    @TempDir
    private Path directory;

    @Test
    @Guarantee(
            value = "G4",
            sentence =
                    "Beside a remote system that times out, another handler waits for the running call and a second more.")
    void healthyHandlerWaitsForTheRunningCallOnly() {
        assertHealthyHandlerWaitsAtMost(RUNNING_CALL);
    }

    @Test
    @Guarantee(
            value = "G4",
            sentence =
                    "With a concurrency of two, another handler waits 5 s at most beside a remote system that times out.")
    void healthyHandlerHasAThreadFree() {
        assertHealthyHandlerWaitsAtMost(Duration.ofSeconds(5), "--outbox.poller.concurrency=2");
    }

    /** The remote system has due retries, the healthy handler first deliveries. */
    private void assertHealthyHandlerWaitsAtMost(Duration bound, String... options) {
        try (Service service = new Service(directory)) {
            service.start("worker-1", handlers(), options);
            service.publish(orders(), true);
            awaitRetries(service, ORDERS);
            try {
                timingOut.countDown();

                service.publishSteadily(SHIPPED, 20, Duration.ofMillis(250), TRAFFIC);

                service.awaitHandled(bound, SHIPPED);
                Report report = service.check(CheckSettings.defaults().withLongestWait(bound));
                // The remote system has not answered yet.
                assertThat(report.violations())
                        .as(report::toString)
                        .extracting(Violation::rule)
                        .isSubsetOf("backlog-empty");
            } finally {
                over.countDown();
            }
        }
    }

    /** The healthy handler has a due retry, the remote system first deliveries. */
    @Test
    void retryOfHealthyHandlerWaitsForTheRunningCallOnly() {
        try (Service service = new Service(directory)) {
            healthy.set(false);
            service.start("worker-1", handlers());
            service.publish(event(SHIPPED, "shipped"));
            awaitRetries(service, 1);
            healthy.set(true);
            try {
                timingOut.countDown();
                service.publish(orders(), true);

                service.awaitHandled(FIRST_RETRY.plus(RUNNING_CALL), SHIPPED);
            } finally {
                over.countDown();
            }
        }
    }

    private List<HandlerDefinition> handlers() {
        return List.of(
                HandlerDefinition.of("remote", Set.of(ORDERED), (event) -> callRemote()),
                HandlerDefinition.of("healthy", Set.of(SHIPPED), (event) -> {
                    if (!healthy.get()) {
                        throw new IllegalStateException("The handler fails once");
                    }
                }));
    }

    private static List<IntendedEvent> orders() {
        return IntStream.range(0, ORDERS)
                .mapToObj((i) -> event(ORDERED, "order-" + i))
                .toList();
    }

    /** Fails at once until many lanes are there, and then after the timeout. */
    private void callRemote() throws InterruptedException {
        boolean ended = timingOut.getCount() == 0 && over.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        throw new IllegalStateException(ended ? "The test is over" : "The remote system does not answer");
    }

    private static void awaitRetries(Service service, int lanes) {
        assertThat(Pause.until(
                        DEADLINE,
                        () -> service.sql()
                                        .sql("SELECT count(*) FROM events.outbox_lane")
                                        .query(Long.class)
                                        .single()
                                == lanes))
                .as("lanes")
                .isTrue();
    }
}
