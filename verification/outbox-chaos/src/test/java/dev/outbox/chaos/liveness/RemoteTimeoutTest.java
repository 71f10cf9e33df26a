package dev.outbox.chaos.liveness;

import static dev.outbox.chaos.liveness.Service.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.testing.Guarantee;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The remote system of one handler times out after 10 s, and many of its lanes are due; another handler of the stream is healthy. */
@Tag("full")
@Tag("liveness")
class RemoteTimeoutTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration TRAFFIC = Duration.ofSeconds(20);
    private static final int DUE = 60;

    private static final String ORDERED = "Ordered";
    private static final String SHIPPED = "Shipped";

    private final CountDownLatch timingOut = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    @TempDir
    private Path directory;

    @Test
    @Guarantee(
            value = "G4",
            sentence =
                    "Beside a remote system that times out, another handler waits for the running call and a second more.")
    void healthyHandlerWaitsForTheRunningCallOnly() {
        assertHealthyHandlerWaitsAtMost(TIMEOUT.plusSeconds(1));
    }

    @Test
    @Guarantee(
            value = "G4",
            sentence =
                    "With a concurrency of two, another handler waits 5 s at most beside a remote system that times out.")
    void healthyHandlerHasAThreadFree() {
        assertHealthyHandlerWaitsAtMost(Duration.ofSeconds(5), "--outbox.poller.concurrency=2");
    }

    private void assertHealthyHandlerWaitsAtMost(Duration bound, String... options) {
        try (Service service = new Service(directory)) {
            HandlerDefinition remote = HandlerDefinition.of("remote", Set.of(ORDERED), (event) -> callRemote());
            HandlerDefinition healthy = HandlerDefinition.of("healthy", Set.of(SHIPPED), (event) -> {});
            service.start("worker-1", List.of(remote, healthy), options);
            service.publish(IntStream.range(0, DUE)
                    .mapToObj((i) -> event(ORDERED, "order-" + i))
                    .toList());
            awaitRetries(service);
            timingOut.countDown();

            service.publishSteadily(SHIPPED, 20, Duration.ofMillis(250), TRAFFIC);

            service.awaitHandled(bound, SHIPPED);
            assertThat(Service.brokenRules(service.check(
                            CheckSettings.defaults().withLongestWait(bound).withBacklogDeadline(TRAFFIC))))
                    .isSubsetOf("backlog-empty");
            over.countDown();
        } finally {
            over.countDown();
        }
    }

    /** Fails at once until many lanes are there, and then after the timeout. */
    private void callRemote() throws InterruptedException {
        boolean ended = timingOut.getCount() == 0 && over.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        throw new IllegalStateException(ended ? "The test is over" : "The remote system does not answer");
    }

    private static void awaitRetries(Service service) {
        assertThat(Pause.until(
                        Duration.ofSeconds(10),
                        () -> service.sql()
                                        .sql("SELECT count(*) FROM events.outbox_lane")
                                        .query(Long.class)
                                        .single()
                                == DUE))
                .isTrue();
    }
}
