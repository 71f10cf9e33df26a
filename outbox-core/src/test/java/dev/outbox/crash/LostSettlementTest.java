package dev.outbox.crash;

import static dev.outbox.crash.Recovery.FAST;
import static dev.outbox.crash.Recovery.eventually;
import static dev.outbox.crash.Recovery.flush;
import static dev.outbox.crash.Recovery.holdingUntil;
import static dev.outbox.crash.Recovery.isLostInACrash;
import static dev.outbox.crash.Recovery.publish;
import static dev.outbox.crash.Recovery.walPosition;
import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.crash.Recovery.Claims;
import dev.outbox.crash.Recovery.Crash;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.testing.CrashingPostgres;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGQUIT")
@Tag("full")
class LostSettlementTest {

    private final CrashingPostgres server = CrashingPostgres.create();
    private final TestOutbox outbox = TestOutbox.create(server.postgres());
    private final Claims claims = new Claims();
    private final Recorded handled = Recorded.all();

    @AfterEach
    void close() {
        try (server) {
            outbox.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Guarantee(value = "G3", sentence = "Settlements that a crash loses are delivered again, in order.")
    void redeliversLostSettlementsInOrder(Crash crash) {
        outbox.handler("any", "*", handled).listener(claims).stream("default", FAST)
                .start();
        publishTogether("1", 1, 4);
        awaitPublished(4);
        publishTogether("1", 5, 6);
        awaitPublished(6);
        String settled = walPosition(outbox);
        claims.awaitMore();

        boolean lost = isLostInACrash(outbox, settled);
        crash.happenTo(server);

        publish(outbox, "1", 7);
        awaitHandled(handled, lost ? List.of(1L, 2L, 3L, 4L, 5L, 6L, 5L, 6L, 7L) : List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L));
    }

    @Test
    void continuesNoBatchAfterLostPartialSettlement() {
        CountDownLatch crashed = new CountDownLatch(1);
        outbox.handler("any", "*", holdingUntil(crashed, outbox, handled)).stream("default", FAST.withConcurrency(2))
                .start();
        publishTogether("1", 1, 2);
        awaitPublished(1);

        boolean lost = isLostInACrash(outbox, walPosition(outbox));
        Crash.SERVER.happenTo(server);
        crashed.countDown();

        awaitHandledInOrder(lost);
    }

    @Test
    void retriesFirstAfterLostPartialSettlement() {
        CountDownLatch crashed = new CountDownLatch(1);
        Recorded failing = Recorded.failing((attempt) ->
                attempt.envelope().sequence() == 1 && attempt.number() == 1 ? new IOException("no route") : null);
        // Due only after the crash.
        outbox
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ofSeconds(5))), 3))
                .handler("failing", "*", (envelope) -> {
                    flush(outbox);
                    failing.handle(envelope);
                })
                .handler("slow", "*", (envelope) -> {
                    if (envelope.sequence() == 2) {
                        awaitLatch(crashed);
                    }
                })
                .stream("default", FAST.withConcurrency(2))
                .start();
        publishTogether("1", 1, 2);
        await().until(() -> outbox.deliveries() == 1);

        Crash.SERVER.happenTo(server);
        crashed.countDown();

        awaitHandled(failing, List.of(1L, 2L));
    }

    @Test
    void continuesNoLaneAfterLostPartialSettlement() {
        CountDownLatch crashed = new CountDownLatch(1);
        outbox.handler("any", "*", holdingUntil(crashed, outbox, handled)).stream("default", FAST.withConcurrency(2));
        Lanes lanes = new Lanes(outbox);
        List<EventEnvelope> events = lanes.publish("1", 2);
        lanes.failed("any", events.get(0));
        lanes.waiting("any", events.get(1));
        outbox.update("UPDATE events.outbox_delivery SET retry_count = 0");
        new Lanes(outbox).due();
        outbox.start();
        await().until(() -> outbox.deliveries() == 1);

        boolean lost = isLostInACrash(outbox, walPosition(outbox));
        Crash.SERVER.happenTo(server);
        crashed.countDown();

        awaitHandledInOrder(lost);
    }

    private void publishTogether(String aggregateId, int first, int last) {
        outbox.inTransaction(() -> IntStream.rangeClosed(first, last)
                .mapToObj((number) -> outbox.publisher().publish("order", aggregateId, new OrderPlaced(number)))
                .toList());
    }

    private void awaitPublished(int events) {
        await().until(() -> outbox.published() == events);
    }

    /** The second event was under way in the crash, and is settled only after the first one. */
    private void awaitHandledInOrder(boolean lost) {
        eventually().untilAsserted(() -> {
            List<Long> sequences = handled.sequences().get("1");
            assertThat(sequences.lastIndexOf(1L))
                    .as("last delivery of the first event in %s", sequences)
                    .isGreaterThanOrEqualTo(lost ? 1 : 0)
                    .isLessThan(sequences.lastIndexOf(2L));
            assertQueueIsEmpty();
        });
    }

    private void awaitHandled(Recorded handler, List<Long> sequences) {
        eventually().untilAsserted(() -> {
            assertThat(handler.sequences()).containsEntry("1", sequences);
            assertQueueIsEmpty();
        });
    }

    private void assertQueueIsEmpty() {
        assertThat(outbox.unpublished()).as("unsettled events").isZero();
    }
}
