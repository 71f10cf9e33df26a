package dev.outbox.operations.internal.replay;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.InBackground;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** One step after the other: what the threads of a runtime would do, in the order that a test is about. */
class ReplayFeederTest extends ReplaySteps {

    @Test
    void eventsAreFedNoFasterThanTheRate() throws SQLException {
        publish("1", 100);
        long id = start(ReplayRequest.of("mail").rate(10));

        // By the database's clock: what was not used is lost.
        ReplayFeeders.allow(outbox, Duration.ofHours(3));
        feeder.runOnce();
        assertThat(fed(id)).isEqualTo(10);
        ReplayFeeders.allow(outbox, Duration.ofMillis(-990));
        assertThat(feeder.runOnce()).isPositive();
        assertThat(fed(id)).isEqualTo(10);
        ReplayFeeders.allow(outbox, Duration.ofHours(3));
        feeder.runOnce();
        assertThat(fed(id)).isEqualTo(20);
        assertThat(outbox.sql()
                        .sql("SELECT fed_at - now() < interval '1 second' FROM events.outbox_replay")
                        .query(Boolean.class)
                        .single())
                .isTrue();

        // The clock was set back.
        ReplayFeeders.allow(outbox, Duration.ofHours(-1));
        feeder.runOnce();
        assertThat(fed(id)).isEqualTo(30);
    }

    @Test
    void twoFeedersShareTheRateAndFeedNothingTwice() throws SQLException {
        publish("1", 300);
        long id = start(ReplayRequest.of("mail").rate(100));
        List<ReplayFeeder> both =
                List.of(feeder, ReplayFeeders.of(Operator.of(outbox).replays()));
        for (int round = 1; round <= 3; round++) {
            ReplayFeeders.allow(outbox, SECOND);
            List<CompletableFuture<Duration>> rounds =
                    both.stream().map((one) -> InBackground.run(one::runOnce)).toList();
            rounds.forEach(InBackground::result);
            assertThat(fed(id)).isEqualTo(outbox.deliveries()).isGreaterThanOrEqualTo(100L * round);
        }
        Replay.Origin origin = replay(id).origin();
        double seconds = outbox.sql()
                .sql("SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 FROM events.outbox_replay")
                .query(Double.class)
                .single();
        assertThat(origin.by()).isEqualTo("ann");
        assertThat(fed(id)).isLessThanOrEqualTo((long) (300 + 100 * seconds));
    }

    @Test
    void waitsForSlowHandlerButNotForFailingLanes() throws SQLException {
        publishToEach(1200);
        long id = start(ReplayRequest.of("mail").rate(200));

        feed(10);
        assertThat(fed(id)).isEqualTo(500);
        settle(FAILED, claimDue());
        // The lanes that have failed back off: there is room for others.
        feed(10);
        assertThat(fed(id)).isEqualTo(1000);
    }

    /** Publishes an event of each aggregate. */
    private void publishToEach(int aggregates) throws SQLException {
        outbox.publishTogether(aggregates, aggregates);
        for (int claimed = 0; claimed < aggregates; claimed += 1000) {
            settle(claim());
        }
    }

    @Test
    void cancelledReplayAddsNoMore() throws SQLException {
        publish("1", 30);
        long id = start(ReplayRequest.of("mail").rate(10));
        feed(1);

        assertThat(Operator.of(outbox).replays().cancel(id, "bob")).isTrue();
        feed(3);

        assertThat(fed(id)).isEqualTo(10);
        assertThat(outbox.deliveries()).isEqualTo(10);
        assertThat(replay(id).status()).isEqualTo(Replay.Status.CANCELLED);
        assertThat(Operator.of(outbox).replays().cancel(id, "bob")).isFalse();
    }

    @Test
    void replayIsDoneWithItsLastDelivery() throws SQLException {
        publish("1", 2);
        long id = start(ReplayRequest.of("mail"));

        feed(1);
        assertThat(replay(id).progress().allFed()).isTrue();
        assertThat(replay(id).status()).isEqualTo(Replay.Status.RUNNING);
        while (replay(id).progress().open().value() > 0) {
            settle(DeliveryOutcome.SUCCEEDED, claimDue());
        }
        assertThat(replay(id).status()).isEqualTo(Replay.Status.DONE);
    }

    @Test
    void replayWithoutEventsIsDoneAtOnce() {
        assertThat(replay(start(ReplayRequest.of("mail"))).status()).isEqualTo(Replay.Status.DONE);
    }

    @Test
    void feedsPausedHandler() throws SQLException {
        publishToEach(700);
        long id = start(ReplayRequest.of("mail").rate(500));
        outbox.sql()
                .sql("UPDATE events.outbox_handler SET paused_until = 'infinity'")
                .update();

        feed(3);
        assertThat(fed(id)).isEqualTo(700);
    }
}
