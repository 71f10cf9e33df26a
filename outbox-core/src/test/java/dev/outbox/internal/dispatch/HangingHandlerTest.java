package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.MovingClock;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DispatchSettings.HandlerSettings;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.registry.Activity;
import dev.outbox.internal.registry.Activity.Call;
import dev.outbox.internal.registry.Activity.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HangingHandlerTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Map<String, Integer> ONE_THREAD = Map.of("default", 1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final MovingClock clock = new MovingClock();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of("dev.outbox").from(Level.INFO);

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
    }

    @Test
    void handlerThatOutlastsItsLeaseIsReportedOnce() {
        EventEnvelope event = hang();
        assertThat(outbox.runtime().runningHandlers().stuck("default")).isEmpty();
        clock.advance(LEASE.plusSeconds(1));

        await().until(() -> !lines(Level.WARN, "hanging").isEmpty());
        outbox.runtime().runningHandlers().report(ONE_THREAD);
        assertThat(lines(Level.WARN, "hanging"))
                .singleElement()
                .asString()
                .contains(event.toString(), "longer than a lease");
        assertThat(outbox.runtime().runningHandlers().stuck("default")).hasSize(1);
        release.countDown();
        await().until(() -> outbox.runtime().runningHandlers().stuck().isEmpty());
    }

    @Test
    void handlerThatRunsForTenSecondsIsReportedOnceWithItsStack() {
        EventEnvelope event = hang();
        clock.advance(Duration.ofSeconds(9));
        outbox.runtime().runningHandlers().report(ONE_THREAD);
        assertThat(lines(Level.WARN, "hanging")).isEmpty();
        assertThat(outbox.runtime().runningHandlers().slow()).isEmpty();
        clock.advance(Duration.ofSeconds(1));

        await().until(() -> !lines(Level.WARN, "hanging").isEmpty());
        outbox.runtime().runningHandlers().report(ONE_THREAD);
        assertThat(lines(Level.WARN, "hanging"))
                .singleElement()
                .asString()
                .contains("has been handling " + event, "for 10 s on thread", "\n\tat ", "CountDownLatch.await")
                .doesNotContain("dev.outbox.internal.");
        assertThat(outbox.runtime().runningHandlers().slow()).hasSize(1);
        assertThat(outbox.runtime().runningHandlers().stuck()).isEmpty();
    }

    @Test
    void activityNamesTheCallUntilItEnds() {
        EventEnvelope event = hang();
        RunningHandlers handlers = outbox.runtime().runningHandlers();
        assertThat(handlers.anyLong()).isFalse();
        assertThat(handlers.activity()).isEqualTo(Activity.NONE);

        Call call = afterwards(Duration.ofSeconds(4));
        assertThat(call.handlerId()).isEqualTo("hanging");
        assertThat(call.event().eventId()).isEqualTo(event.eventId());
        assertThat(call.running()).isEqualTo(Duration.ofSeconds(4));
        assertThat(call.state()).isEqualTo(State.RUNNING);
        assertThat(afterwards(Duration.ofSeconds(6)).state()).isEqualTo(State.SLOW);
        assertThat(afterwards(LEASE).state()).isEqualTo(State.STUCK);
        assertThat(handlers.anyLong()).isTrue();

        release.countDown();
        await().until(() -> !handlers.anyLong());
        assertThat(handlers.activity().calls()).isEmpty();
        assertThat(handlers.activity().runTimes()).singleElement().satisfies((runTime) -> {
            assertThat(runTime.handlerId()).isEqualTo("hanging");
            assertThat(runTime.stream()).isEqualTo("default");
            assertThat(runTime.total()).isEqualTo(LEASE.plusSeconds(10));
        });
    }

    private Call afterwards(Duration passed) {
        clock.advance(passed);
        List<Call> calls = outbox.runtime().runningHandlers().activity().calls();
        assertThat(calls).hasSize(1);
        return calls.get(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | 1 | and has not returned; stream default waits, because its only thread is busy: raise outbox.poller.concurrency, or the concurrency of the stream",
                "2 | 1 | and has not returned; its aggregate waits",
                "2 | 2 | and has not returned; stream default waits, because its 2 threads are busy: raise outbox.poller.concurrency, or the concurrency of the stream"
            })
    void warningNamesWhatWaits(int concurrency, int hanging, String consequence) {
        List<String> handled = new CopyOnWriteArrayList<>();
        CountDownLatch hang = new CountDownLatch(hanging);
        outbox
                .handler("hanging", "*", (envelope) -> {
                    if (hang.getCount() > 0) {
                        hang.countDown();
                        awaitLatch(release);
                    }
                    handled.add(envelope.aggregateId());
                })
                .clock(clock)
                .stream("default", poller(concurrency))
                .start();
        IntStream.rangeClosed(1, hanging).forEach((order) -> outbox.publish("order-" + order, new OrderPlaced(1)));
        awaitLatch(hang);
        outbox.publish("other", new OrderPlaced(1));
        if (hanging < concurrency) {
            await().until(() -> handled.equals(List.of("other")));
        }
        clock.advance(Duration.ofSeconds(10));

        await().until(() -> lines(Level.WARN, "hanging").size() == hanging);
        assertThat(lines(Level.WARN, "hanging"))
                .allSatisfy((line) -> assertThat(line.lines().findFirst())
                        .hasValueSatisfying((first) -> assertThat(first).endsWith(consequence)));
        assertThat(handled.contains("other")).isEqualTo(hanging < concurrency);
        release.countDown();
        await().until(() -> handled.size() == hanging + 1);
    }

    @Test
    void warningNamesTheAggregatesOfABatch() {
        AtomicBoolean hangs = new AtomicBoolean(true);
        outbox
                .handler(HandlerDefinition.ofBatch(
                        "hanging", Set.of("*"), null, (payloads, events, outcome, context) -> {
                            if (hangs.getAndSet(false)) {
                                awaitLatch(release);
                            }
                        }))
                .clock(clock)
                .stream("default", poller(2));
        outbox.publishTogether(20, 20);
        outbox.start();
        await().until(() ->
                outbox.runtime().runningHandlers().all().size() == 1 && outbox.count("events.outbox_published") > 0);
        clock.advance(Duration.ofSeconds(10));

        await().until(() -> !lines(Level.WARN, "hanging").isEmpty());
        assertThat(lines(Level.WARN, "hanging").get(0).lines().findFirst())
                .hasValueSatisfying((first) ->
                        assertThat(first).endsWith("and has not returned; the aggregates of its batch wait"));
    }

    @Test
    void handlerThatIgnoresItsTimeoutIsReported() {
        outbox.settings("hanging", new HandlerSettings(Duration.ofSeconds(5), null, null));
        hang();
        clock.advance(Duration.ofSeconds(7));

        await().until(() ->
                !lines(Level.WARN, "ignores the interrupt at its timeout").isEmpty());
    }

    @Test
    void stoppingNamesWhatItWaitsForAtOnce() {
        EventEnvelope event = hang();
        CompletableFuture<Object> closing = InBackground.run(() -> {
            outbox.runtime().close();
            return "closed";
        });

        await().until(() -> !lines(Level.INFO, "Waiting for handler hanging to finish " + event)
                .isEmpty());
        assertThat(closing).isNotDone();
        release.countDown();
        InBackground.result(closing);
    }

    @Test
    void streamsAreInterruptedAtTheSameTime() {
        CountDownLatch running = new CountDownLatch(2);
        CountDownLatch interrupted = new CountDownLatch(2);
        PollerSettings impatient = new PollerSettings(Duration.ofMillis(50), 10, LEASE, Duration.ofMillis(300));
        outbox
                .handler("waiting", "*", (envelope) -> {
                    running.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException ex) {
                        interrupted.countDown();
                        awaitLatch(interrupted);
                        throw ex;
                    }
                })
                .stream("default", impatient)
                .stream("other", impatient);
        outbox.publish("1", new OrderPlaced(1));
        outbox.publish(OutboxEvent.of("order", "2", new OrderPlaced(1)).inStream("other"));
        outbox.start();
        awaitLatch(running);
        outbox.runtime().close();

        assertThat(lines(Level.WARN, "abandon")).isEmpty();
    }

    private static PollerSettings poller(int concurrency) {
        return new PollerSettings(Duration.ofMillis(50), 10, concurrency, LEASE, Duration.ofSeconds(10));
    }

    private EventEnvelope hang() {
        outbox
                .handler("hanging", "*", (envelope) -> {
                    begun.countDown();
                    while (release.getCount() > 0) {
                        try {
                            release.await();
                        } catch (InterruptedException ex) {
                            // A handler may ignore it.
                        }
                    }
                })
                .clock(clock)
                .stream("default", poller(1))
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        awaitLatch(begun);
        return event;
    }

    private List<String> lines(Level level, String text) {
        return log.messages(level).stream()
                .filter((line) -> line.contains(text))
                .toList();
    }
}
