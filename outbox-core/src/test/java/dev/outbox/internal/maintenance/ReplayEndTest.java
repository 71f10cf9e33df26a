package dev.outbox.internal.maintenance;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Status;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Replays that end early, and replays that are refused. */
class ReplayEndTest {

    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final TestOutbox outbox = TestOutbox.create();
    private final TestOutbox other = outbox.another();

    @BeforeEach
    void poll() {
        outbox.retry(TestOutbox.AT_ONCE).poller(INTERVAL, 50, LEASE);
        other.retry(TestOutbox.AT_ONCE).poller(INTERVAL, 50, LEASE);
    }

    @AfterEach
    void close() {
        other.close();
        outbox.close();
    }

    @Test
    @Guarantee(
            value = "G8",
            sentence = "Another process resumes a replay after SIGKILL, with nothing lost or added twice.")
    void replayResumesInAnotherProcessAfterSigkill() throws SQLException {
        Recorded mail = Recorded.all();
        outbox.handler("mail", "*", mail).start();
        for (int aggregate = 0; aggregate < 20; aggregate++) {
            publish(outbox, Integer.toString(aggregate), 20);
        }
        awaitPublished(400);
        outbox.runtime().close();
        long id = start(ReplayRequest.of("mail").rate(150));
        // What a process has committed that dies between two rounds: a round is one transaction.
        ReplayFeeder killed = ReplayFeeders.of(outbox, outbox.runtime().replays());
        for (int round = 0; round < 2; round++) {
            ReplayFeeders.allow(outbox, Duration.ofSeconds(1));
            killed.runOnce();
        }
        assertThat(outbox.count("events.outbox_delivery")).isEqualTo(300);

        Recorded again = Recorded.all();
        other.handler("mail", "*", again).start();
        Replay replay = done(id);

        assertThat(replay.progress().fed()).isEqualTo(400);
        assertThat(again.handled()).hasSize(400);
        List<Long> all = LongStream.rangeClosed(1, 20).boxed().toList();
        assertThat(again.sequences().values())
                .hasSize(20)
                .allSatisfy((sequence) -> assertThat(sequence).isEqualTo(all));
    }

    @Test
    void cancelSkipsUntriedDeliveries() {
        CountDownLatch attempting = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        Recorded mail = Recorded.failing((attempt) -> {
            if (attempt.envelope().replayed()) {
                attempting.countDown();
                awaitLatch(cancelled);
            }
            return null;
        });
        Recorded billing = Recorded.failing((attempt) -> new NonRetryableException("never"));
        outbox.handler("mail", "*", mail)
                .handler("billing", "OrderPaid", billing)
                .poller(Duration.ofMillis(100), 10, Duration.ofMinutes(1))
                .start();
        // A worker leases whole lanes: ten of the 21 are busy.
        for (int aggregate = 1; aggregate <= 20; aggregate++) {
            publish(outbox, "" + aggregate, 5);
        }
        EventEnvelope dead = outbox.publish("last", new OrderPaid(1));
        awaitPublished(100);
        assertThat(outbox.event(dead)).becomesDead();
        long id = start(ReplayRequest.of("mail").rate(1000));
        awaitLatch(attempting);
        await().until(() -> replay(id).progress().allFed());
        assertThat(outbox.statusOf(dead)).isNotEqualTo("DEAD");

        assertThat(outbox.runtime().replays().cancel(id, "bob")).isTrue();
        assertThat(replay(id).status()).isEqualTo(Status.CANCELLED);
        assertThat(replay(id).progress().fed()).isLessThan(101);
        assertThat(outbox.event(dead)).isDead();
        cancelled.countDown();

        await().until(() -> replay(id).progress().finishedAt() != null);
        await().until(() -> replay(id).progress().open() == 0);
        Replay.Progress progress = replay(id).progress();
        assertThat(progress.fed()).isBetween(1L, 100L).isEqualTo(progress.delivered());
        assertThat(mail.handled()).hasSize((int) (101 + progress.delivered()));
        assertThat(outbox.runtime().replays().cancel(id, "bob")).isFalse();
        assertThat(outbox.count("events.outbox_delivery")).isEqualTo(1);
    }

    @Test
    void rejectsInvalidReplay() {
        outbox.handler("mail", "OrderPlaced", Recorded.all()).start();
        Replays replays = outbox.runtime().replays();
        ReplayRequest mail = ReplayRequest.of("mail");
        Instant now = Instant.now();

        assertThatThrownBy(() -> replays.start(ReplayRequest.of("unknown"), "ann", "why"))
                .asInstanceOf(throwable(InvalidOperationException.class))
                .returns(Reason.UNKNOWN_HANDLER, InvalidOperationException::reason)
                .hasMessageContaining("'unknown'");
        assertThatThrownBy(() -> replays.start(mail, " ", "why")).isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> replays.start(mail, "ann", "")).isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> replays.start(mail.eventTypes("OrderPaid"), "ann", "why"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("'mail' does not subscribe to events of type OrderPaid");
        assertThatThrownBy(() -> replays.cancel(1, "")).isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> mail.rate(0)).isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> mail.occurred(now, now)).isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> mail.occurred(Instant.MIN, null)).isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> new ReplayRequest("mail", null, null, Set.of(), null, "1", 1))
                .isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> mail.eventTypes("order paid")).isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> mail.aggregate("order", " ")).isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> ReplayRequest.of(" ")).isInstanceOf(InvalidOperationException.class);
        assertThat(replays.list()).isEmpty();
        assertThat(replays.cancel(1, "ann")).isFalse();
    }

    @Test
    void cancelsReplayOfExpiredHandler() throws SQLException {
        outbox.handler("mail", "*", Recorded.all()).start();
        publish(outbox, 1, 3);
        awaitPublished(3);
        outbox.runtime().close();
        long id = start(ReplayRequest.of("mail"));
        outbox.sql()
                .sql("UPDATE events.outbox_handler SET last_seen_at = now() - interval '8 days'")
                .update();

        ReplayFeeders.of(outbox, outbox.runtime().replays()).runOnce();

        assertThat(replay(id).status()).isEqualTo(Status.CANCELLED);
        assertThat(outbox.sql()
                        .sql("SELECT cancelled_by FROM events.outbox_replay")
                        .query(String.class)
                        .single())
                .contains("expired");
    }

    private long start(ReplayRequest request) {
        return outbox.runtime().replays().start(request, "ann", "mails were lost");
    }

    private Replay replay(long id) {
        return outbox.runtime().replays().find(id).orElseThrow();
    }

    private Replay done(long id) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(replay(id).status()).isEqualTo(Status.DONE));
        return replay(id);
    }

    private void awaitPublished(long events) {
        await().atMost(Duration.ofSeconds(30)).until(() -> outbox.count("events.outbox_published") == events);
    }

    private static void publish(TestOutbox outbox, int from, int to) {
        IntStream.rangeClosed(from, to).forEach((number) -> outbox.publish("1", new OrderPlaced(number)));
    }

    private static void publish(TestOutbox outbox, String aggregate, int events) {
        outbox.inTransaction(() -> IntStream.rangeClosed(1, events)
                .mapToObj((number) -> outbox.publisher().publish("order", aggregate, new OrderPlaced(number)))
                .toList());
    }

    private void publish(List<String> aggregates) {
        outbox.inTransaction(() -> {
            List<EventEnvelope> published = new ArrayList<>();
            aggregates.forEach((id) -> published.add(outbox.publisher().publish("order", id, new OrderPlaced(1))));
            return published;
        });
    }
}
