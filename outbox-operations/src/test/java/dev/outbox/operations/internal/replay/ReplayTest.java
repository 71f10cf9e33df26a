package dev.outbox.operations.internal.replay;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.gauges.GaugeSteps;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Progress;
import dev.outbox.operations.Replay.Status;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import tools.jackson.databind.JsonNode;

class ReplayTest {

    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox other = outbox.another();

    @BeforeEach
    void poll() {
        outbox.retry(TestOutbox.AT_ONCE).poller(INTERVAL, 50, LEASE);
        other.retry(TestOutbox.AT_ONCE).poller(INTERVAL, 50, LEASE);
    }

    @Test
    void replaysPublishedEventsToOneHandlerInOrder() {
        List<String> logged = new CopyOnWriteArrayList<>();
        Recorded mail = Recorded.failing((attempt) -> {
            logged.add(String.valueOf(MDC.get("replayed")));
            return null;
        });
        Recorded audit = Recorded.all();
        outbox.handler("mail", "*", mail)
                .handler("audit", "*", audit)
                .poller(Duration.ofMinutes(1), 50, LEASE) // only a wake-up starts a round
                .start();
        outbox.publishOrders("1", 5);
        outbox.awaitPublished(5);

        Replay replay = done(start(ReplayRequest.of("mail").rate(1000)));

        assertThat(mail.sequences()).containsEntry("1", List.of(1L, 2L, 3L, 4L, 5L, 1L, 2L, 3L, 4L, 5L));
        assertThat(mail.handled())
                .extracting(EventEnvelope::replayed)
                .containsExactly(false, false, false, false, false, true, true, true, true, true);
        assertThat(logged.subList(5, 10)).containsOnly("true");
        assertThat(logged.subList(0, 5)).containsOnly("null");
        assertThat(audit.handled()).hasSize(5);
        assertThat(outbox.deliveries()).isZero();
        assertThat(outbox.published()).isEqualTo(5);
        assertThat(replay.progress().fed()).isEqualTo(5);
        assertThat(replay.progress().delivered()).isEqualTo(5);
        assertThat(replay.progress().finishedAt()).isNotNull();
        assertThat(replay.origin().by()).isEqualTo("ann");
        assertThat(replay.origin().reason()).isEqualTo("mails were lost");
        assertThat(Operator.of(outbox).replays().list()).containsExactly(replay);
    }

    @Test
    void failingReplayDelaysOnlyItsLaneAndDeadLetters() throws SQLException {
        AtomicBoolean down = new AtomicBoolean();
        Recorded mail = Recorded.failing((attempt) ->
                down.get() && attempt.envelope().aggregateId().equals("1") ? new IOException("down") : null);
        outbox.handler("mail", "*", mail).start();
        outbox.publishOrders("1", 3);
        outbox.publishOrders("2", 3);
        outbox.awaitPublished(6);
        down.set(true);

        Replay replay = done(start(ReplayRequest.of("mail")));

        assertThat(mail.handled()).hasSize(9);
        assertThat(mail.sequences()).containsEntry("2", List.of(1L, 2L, 3L, 1L, 2L, 3L));
        assertThat(replay.progress().delivered()).isEqualTo(3);
        assertThat(replay.progress().dead()).isEqualTo(new Count(3, true));
        assertThat(outbox.laneCodes())
                .containsExactly("1 DEAD IOException", "2 DEAD IOException", "3 DEAD IOException");
        assertThat(outbox.published()).isEqualTo(6);
        assertThat(GaugeSteps.count(outbox.dataSource()).get("default").dead().value())
                .isEqualTo(3);
    }

    @Test
    void deduplicatingHandlerHasItsEffectsAgain() {
        outbox.sql().sql("CREATE TABLE effect (seq bigint)").update();
        outbox.handler(HandlerDefinition.of(
                                "points",
                                Set.of("*"),
                                (envelope) -> outbox.sql()
                                        .sql("INSERT INTO effect VALUES (?)")
                                        .param(envelope.sequence())
                                        .update())
                        .aliases("bonus")
                        .deduplicating())
                .start();
        outbox.publishOrders("1", 3);
        outbox.awaitPublished(3);
        assertThat(outbox.count("effect")).isEqualTo(3);
        assertThat(outbox.deduplicated()).isEqualTo(6);

        done(start(ReplayRequest.of("points")));

        assertThat(outbox.sql()
                        .sql("SELECT seq FROM effect ORDER BY seq")
                        .query(Long.class)
                        .list())
                .containsExactly(1L, 1L, 2L, 2L, 3L, 3L);
        assertThat(outbox.deduplicated()).isEqualTo(6);
    }

    @Test
    @Guarantee(
            value = "G3",
            sentence = "A new handler that is paused during its replay gets past and live events in order.")
    void handlerPausedDuringReplayGetsEventsInOrder() {
        outbox.handler("audit", "*", Recorded.all()).start();
        outbox.publishTogether(800, 10);
        outbox.awaitPublished(800);
        Recorded search = Recorded.all();
        other.handler("audit", "*", Recorded.all()).handler("search", "*", search);
        // Paused before it is there, so that it gets nothing of what comes before the replay.
        Operator.of(outbox).operations().pauseNewHandler("search", "ann", "its past comes first");
        other.start();
        outbox.publishTogether(10, 10);
        long id = Operator.of(other).replays().start(ReplayRequest.of("search").rate(2000), "ann", "search is new");
        outbox.publishTogether(200, 10);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Operator.of(other)
                        .replays()
                        .find(id)
                        .orElseThrow()
                        .progress()
                        .allFed());
        outbox.publishTogether(10, 10);
        assertThat(search.handled()).isEmpty();
        Operator.of(other).operations().resumeHandler("search", "ann", "its past is there");

        done(id);
        await().atMost(Duration.ofSeconds(30)).until(() -> search.handled().size() == 1020);
        List<Long> all = LongStream.rangeClosed(1, 102).boxed().toList();
        assertThat(search.sequences().values())
                .hasSize(10)
                .allSatisfy((sequence) -> assertThat(sequence).isEqualTo(all));
        await().until(() -> outbox.unpublished() == 0);
    }

    private long start(ReplayRequest request) {
        return Operator.of(outbox).replays().start(request, "ann", "mails were lost");
    }

    private Replay replay(long id) {
        return Operator.of(outbox).replays().find(id).orElseThrow();
    }

    private Replay done(long id) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(replay(id).status()).isEqualTo(Status.DONE));
        return replay(id);
    }

    @Test
    @Tag("full")
    @Guarantee(
            value = "G8",
            sentence = "Another process continues a replay whose process ended, with nothing lost or added twice.")
    void anotherProcessContinuesReplay() throws SQLException {
        Recorded mail = Recorded.all();
        outbox.handler("mail", "*", mail).start();
        for (int aggregate = 0; aggregate < 20; aggregate++) {
            outbox.publishOrders(Integer.toString(aggregate), 20);
        }
        outbox.awaitPublished(400);
        outbox.runtime().close();
        long id = start(ReplayRequest.of("mail").rate(150));
        // The process ends between two rounds, each of which is one transaction.
        ReplayFeeder ended = ReplayFeeders.of(Operator.of(outbox).replays());
        for (int round = 0; round < 2; round++) {
            ReplayFeeders.allow(outbox, Duration.ofSeconds(1));
            ended.runOnce();
        }
        assertThat(outbox.deliveries()).isEqualTo(300);

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

    /** Its deliveries would be dead, and nothing else would be added: that is no replay that is done. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void cancelsReplayOfExpiredHandler(boolean byCommand) throws SQLException {
        outbox.handler("mail", "*", Recorded.all()).start();
        outbox.publishOrders("1", 3);
        outbox.awaitPublished(3);
        outbox.runtime().close();
        long id = start(ReplayRequest.of("mail"));
        if (byCommand) {
            Operator.of(outbox).operations().expireHandler("mail", "ann", "removed");
        } else {
            outbox.sql()
                    .sql("UPDATE events.outbox_subscription SET last_seen_at = '-infinity'")
                    .update();
        }

        ReplayFeeders.of(Operator.of(outbox).replays()).runOnce();

        assertThat(replay(id).status()).isEqualTo(Status.CANCELLED);
        assertThat(outbox.sql()
                        .sql("SELECT cancelled_by FROM events.outbox_replay")
                        .query(String.class)
                        .single())
                .contains("expired");
    }

    @Test
    void countsOfReplaysAreBounded() throws SQLException {
        outbox.handler("mail", "*", Recorded.all()).start();
        outbox.runtime().close();
        long id = start(ReplayRequest.of("mail"));
        outbox.sql().sql("""
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status,
                                next_retry_at, replay_id)
                        SELECT n, 'mail', 'default', 'order', n::text, 1, 'OrderPlaced', CASE WHEN n <= 10001 THEN 'OPEN' ELSE 'DEAD' END,
                               CASE WHEN n <= 10001 THEN now() END, :id
                          FROM generate_series(1, 11002) n
                        """).param("id", id).update();

        assertThat(replay(id).progress())
                .returns(new Count(10_000, false), Progress::open)
                .returns(new Count(1_001, true), Progress::dead);
        assertThat(Operator.of(outbox).replays().list())
                .singleElement()
                .extracting(Replay::progress)
                .returns(new Count(1_000, false), Progress::open)
                .returns(new Count(1_000, false), Progress::dead);
        JsonNode plan = new Explained(outbox.dataSource(), Pipeline.INSPECT)
                .explain(ReplayStore.LIST, "int, bigint, int", "1000, NULL, 100");
        assertThat(Explained.indexesOf(plan))
                .containsExactlyInAnyOrder("outbox_replay_pk", "outbox_delivery_replay", "outbox_delivery_retry");
        assertThat(Explained.rowsVisited(plan, "outbox_delivery")).isBetween(1_990L, 2_010L);
    }
}
