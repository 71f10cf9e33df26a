package dev.outbox.chaos.liveness;

import static dev.outbox.chaos.liveness.Service.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.check.CheckSettings;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.testing.Guarantee;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Open connections freeze: they neither answer nor end, and new ones work, as after the failover of a host or behind a firewall that
 * forgets them. At default settings, without a timeout of the driver, every event is handled within the lease and 15 s.
 */
@Tag("full")
@Tag("liveness")
@Execution(ExecutionMode.CONCURRENT)
class DeadConnectionsTest {

    private static final Duration BOUND = Duration.ofSeconds(60 + 15);
    private static final Duration AT_ONCE = Duration.ofSeconds(10);
    private static final CheckSettings SETTINGS =
            CheckSettings.defaults().withLongestWait(BOUND).withBacklogDeadline(BOUND);

    private static final String ORDERED = "Ordered";
    private static final String SHIPPED = "Shipped";
    private static final int AGGREGATES = 10;

    private final CountDownLatch broken = new CountDownLatch(1);

    @TempDir
    private Path directory;

    @Test
    @Guarantee(
            value = "G2",
            sentence =
                    "After its open connections freeze, the only instance handles every event within the lease and 15 s.")
    void onlyInstanceRecovers() {
        try (Service service = new Service(directory)) {
            service.start("worker-1", breaking(() -> service.freeze("worker-1")));
            service.publish(events(ORDERED, 2));
            awaitBreak();

            service.publish(events(ORDERED, 2));

            assertHandled(service);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Guarantee(
            value = "G2",
            sentence =
                    "If connections freeze between handler and settlement, another instance takes over within the lease and 15 s.")
    void healthyInstanceTakesOver(boolean hostVanishes) {
        try (Service service = new Service(directory)) {
            service.start("worker-1", breaking(() -> {
                if (hostVanishes) {
                    service.vanish("worker-1");
                } else {
                    service.freeze("worker-1");
                }
            }));
            service.publish(events(ORDERED, 2));
            awaitBreak();

            service.start("worker-2", healthy());
            service.publish(events(SHIPPED, 2));
            service.publish(events(ORDERED, 2));

            service.awaitHandled(AT_ONCE, SHIPPED);
            assertHandled(service);
        }
    }

    @Test
    void eventsOfUnansweredClaimAreClaimedAgain() {
        try (Service service = new Service(directory)) {
            service.start("worker-1", healthy());
            service.freezeDuringNextClaim("worker-1", () -> service.publish(events(ORDERED, 2)));

            service.publish(events(ORDERED, 2));

            assertHandled(service);
        }
    }

    @Test
    void instanceWithFrozenListenerFindsEvents() {
        try (Service service = new Service(directory)) {
            service.start("worker-1", healthy());
            service.publish(events(ORDERED, 1));
            service.awaitHandled(AT_ONCE);
            service.freezeListener("worker-1");

            service.publish(events(ORDERED, 2));

            assertHandled(service);
        }
    }

    /** Breaks something at the end of the first call. */
    private List<HandlerDefinition> breaking(Runnable fault) {
        return List.of(HandlerDefinition.of("mail", Set.of(ORDERED, SHIPPED), (event) -> {
            if (broken.getCount() > 0) {
                broken.countDown();
                fault.run();
            }
        }));
    }

    private static List<HandlerDefinition> healthy() {
        return List.of(HandlerDefinition.of("mail", Set.of(ORDERED, SHIPPED), (event) -> {}));
    }

    /** Events of ten aggregates, which those of another type do not share. */
    private static IntendedEvent[] events(String type, int each) {
        return IntStream.range(0, each * AGGREGATES)
                .mapToObj((i) -> event(type, type + "-" + i % AGGREGATES))
                .toArray(IntendedEvent[]::new);
    }

    private void awaitBreak() {
        assertThat(Pause.until(AT_ONCE, () -> broken.getCount() == 0)).isTrue();
    }

    private static void assertHandled(Service service) {
        service.awaitHandled(BOUND);
        assertThat(service.check(SETTINGS).violations()).isEmpty();
    }
}
