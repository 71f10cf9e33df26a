package dev.outbox.operations.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.retention.RetentionSteps;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Kind;
import dev.outbox.operations.Replay.Status;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.operations.internal.operate.JdbcOperations;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Retries and skips in the background, one step after the other. */
class BulkTest extends ReplaySteps {

    private static final DeliverySelection DEAD =
            DeliverySelection.all().ofHandler("mail").withStatus(DeliveryStatus.DEAD);
    private static final DeliverySelection MAIL_OF_ALL_STATUSES =
            DeliverySelection.all().ofHandler("mail");
    private static final DeliveryOutcome DIES = DeliveryOutcome.dead(new Failure("Other", "other"), false);

    private final Lanes lanes = new Lanes(outbox);
    private final Replays replays = Operator.of(outbox).replays();

    @Test
    void retriesAllErrorsOfAHandlerAtItsRate() throws SQLException {
        List<EventEnvelope> events = kill(25);
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET last_error_code = 'Other' WHERE outbox_id % 2 = 0")
                .update();
        lanes.dead("audit", events.get(0));
        long id = replays.retry(DEAD, 10, "ann", "the mail server is back");

        feed(1);
        assertThat(fed(id)).isEqualTo(10);
        feeder.runOnce();
        assertThat(fed(id)).isEqualTo(10);
        assertThat(replay(id).status()).isEqualTo(Status.RUNNING);
        feed(2);
        assertThat(replay(id)).satisfies((done) -> {
            assertThat(done.kind()).isEqualTo(Kind.RETRY);
            assertThat(done.deliveries()).isEqualTo(DEAD);
            assertThat(done.status()).isEqualTo(Status.DONE);
            assertThat(done.progress().fed()).isEqualTo(25);
            assertThat(done.progress().finishedAt()).isNotNull();
        });
        assertThat(dead()).isZero();
        assertThat(log("RETRY")).hasSize(25).extracting(Operation::reason).containsOnly("the mail server is back");
        assertThat(lane("1")).containsExactly("1 DEAD", "1 OPEN");
    }

    @Test
    void knowsWhatIsBeforeItAndWhatItLeft() throws SQLException {
        kill(25);
        lanes.dead("audit", outbox.publish("1", new OrderPlaced(1)));
        DeliverySelection failed = DEAD.withErrorCode("IOException");
        long id = replays.retry(failed, 10, "ann", "the mail server is back");
        assertThat(replay(id).progress().total()).isEqualTo(25);
        assertThat(replay(id).progress().timeLeft()).isNull();

        feed(1);
        assertThat(replay(id).progress()).satisfies((progress) -> {
            assertThat(progress.open()).isEqualTo(new Count(10, true));
            assertThat(progress.rate()).isPositive().isLessThanOrEqualTo(10);
            assertThat(progress.timeLeft()).isPositive();
        });
        settle(DIES, claimDue());
        feed(2);
        assertThat(replay(id)).satisfies((done) -> {
            assertThat(done.status()).isEqualTo(Status.DONE);
            assertThat(done.progress().total()).isEqualTo(25);
            assertThat(done.progress().open()).isEqualTo(new Count(15, true));
            assertThat(done.progress().dead()).isEqualTo(new Count(10, true));
            assertThat(done.progress().timeLeft()).isNull();
        });
        assertThat(Operator.of(outbox).operations().count(failed).value()).isZero();

        long again = replays.retry(Objects.requireNonNull(replay(id).left()), 10, "ann", "now it is");
        assertThat(replay(again).progress().total()).isEqualTo(10);
        feed(1);
        assertThat(fed(again)).isEqualTo(10);
        assertThat(replay(id).progress().dead()).isEqualTo(Count.NONE);
    }

    @Test
    void isOneCommandOfTheLogWithItsOwnFigure() throws SQLException {
        List<EventEnvelope> events = kill(25);
        lanes.dead("audit", events.get(0));
        long id = replays.retry(DEAD, 10, "ann", "the mail server is back");
        feed(1);
        Operator.of(outbox).operations().skip(MAIL_OF_ALL_STATUSES.ofHandler("audit"), "bob", "obsolete");
        feed(2);

        List<Operation.Command> commands = Operator.of(outbox).operations().commands(OperationSelection.all(), 10);
        assertThat(commands)
                .extracting(
                        (command) -> command.first().action(), Operation.Command::entries, Operation.Command::replay)
                .containsExactly(tuple("SKIP", new Count(1, true), null), tuple("RETRY", new Count(25, true), id));
        assertThat(Operator.of(outbox)
                        .operations()
                        .operations(OperationSelection.ofCommand(commands.get(1).id(), null), 100))
                .hasSize(25)
                .extracting(Operation::action)
                .containsOnly("RETRY");
        outbox.sql().sql("UPDATE events.outbox_replay SET fed_count = 19998").update();
        assertThat(Operator.of(outbox).operations().commands(OperationSelection.ofHandler("mail"), 10))
                .extracting(Operation.Command::entries)
                .containsExactly(new Count(19_998, true));
    }

    @Test
    void fewAmongManyAreLookedForInWindows() throws SQLException {
        outbox.sql().sql("""
                        INSERT INTO events.outbox_delivery (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq,
                                                            event_type, status, next_retry_at)
                        SELECT n, 'mail', 'default', 'order', 'past', n, 'OrderPlaced', 'OPEN', now()
                          FROM generate_series(1, 15000) n
                        """).update();
        outbox.sql()
                .sql("SELECT setval('events.outbox_id_seq', 15000)")
                .query(Long.class)
                .single();
        EventEnvelope event = kill(1).get(0);
        DeliverySelection late = MAIL_OF_ALL_STATUSES.after(event.id(), "mail");
        long whole = replays.retry(MAIL_OF_ALL_STATUSES, 10, "ann", "again");
        long behind = replays.skip(late, 10, "ann", "nothing is there");

        feed(1);
        assertThat(lane("1")).containsExactly("1 DEAD");
        assertThat(replay(whole).progress().allFed()).isFalse();
        feed(1);
        assertThat(lane("1")).containsExactly("1 OPEN");
        assertThat(fed(whole)).isEqualTo(1);
        assertThat(fed(behind)).isZero();
        assertThat(replay(whole).status()).isEqualTo(Status.DONE);
        assertThat(replay(behind).status()).isEqualTo(Status.DONE);
    }

    @Test
    void retryEndsAlthoughItsDeliveriesDieAgain() throws SQLException {
        kill(20);
        long id = replays.retry(DEAD, 10, "ann", "again");

        for (int round = 0; round < 3; round++) {
            feed(1);
            settle(DIES, claimDue());
        }

        assertThat(replay(id).status()).isEqualTo(Status.DONE);
        assertThat(dead()).isEqualTo(20);
        assertThat(log("RETRY")).hasSize(20);
    }

    @Test
    void skipLeavesWhatDiedAfterItsStart() throws SQLException {
        kill(1);
        EventEnvelope failing = outbox.publish("failing", new OrderPlaced(1));
        lanes.failed("mail", failing);
        long id = replays.skip(DEAD, 10, "ann", "the campaign is over");
        lanes.due();
        settle(DIES, claimDue());
        EventEnvelope later = outbox.publish("later", new OrderPlaced(1));
        lanes.dead("mail", later);

        feed(2);

        assertThat(replay(id).status()).isEqualTo(Status.DONE);
        assertThat(fed(id)).isEqualTo(1);
        assertThat(lane("failing")).containsExactly("1 DEAD");
        assertThat(lane("later")).containsExactly("1 DEAD");
    }

    @Test
    void skipLeavesWhatWasRetriedAfterItsStart() throws SQLException {
        List<EventEnvelope> events = kill(2);
        long id = replays.skip(MAIL_OF_ALL_STATUSES, 10, "ann", "obsolete");
        retry(events.get(0));

        feed(1);

        assertThat(replay(id).status()).isEqualTo(Status.DONE);
        assertThat(fed(id)).isEqualTo(1);
        assertThat(lane("1")).containsExactly("1 OPEN");
        assertThat(lane("2")).isEmpty();
    }

    @Test
    void skipLeavesWhatIsBeingRetried() throws SQLException {
        EventEnvelope event = kill(1).get(0);
        long id = replays.skip(MAIL_OF_ALL_STATUSES, 10, "ann", "obsolete");

        try (OpenTransaction holding = OpenTransaction.of(outbox.owner())) {
            holding.run("LOCK TABLE events.outbox_published IN SHARE ROW EXCLUSIVE MODE");
            CompletableFuture<OutboxOperations.Changed> retried = InBackground.run(() -> retry(event));
            outbox.awaitWaiting(1);
            CompletableFuture<Duration> skipped = InBackground.run(feeder::runOnce);
            outbox.awaitWaiting(2);
            holding.rollback();
            assertThat(InBackground.result(retried).affected()).isEqualTo(1);
            InBackground.result(skipped);
        }

        assertThat(replay(id).status()).isEqualTo(Status.DONE);
        assertThat(fed(id)).isZero();
        assertThat(lane("1")).containsExactly("1 OPEN");
    }

    @Test
    void retriesWhatBacksOff() throws SQLException {
        lanes.failed("mail", outbox.publish("1", new OrderPlaced(1)));
        EventEnvelope leased = outbox.publish("2", new OrderPlaced(1));
        lanes.failed("mail", leased);
        lanes.locked("mail", leased, "1 minute");
        DeliverySelection failing = DEAD.withStatus(DeliveryStatus.OPEN).withErrorCode("IOException");
        long id = replays.retry(failing, 10, "ann", "no need to wait");

        feed(1);

        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 0");
        assertThat(lanes.of("mail", "2")).containsExactly("1 OPEN 1");
        assertThat(replay(id).progress().fed()).isEqualTo(1);
        assertThat(replay(id).progress().busy()).isEqualTo(1);
        assertThat(replay(id).status()).isEqualTo(Status.DONE);
    }

    @Test
    void lockedDeliveryIsBusy() throws SQLException {
        kill(3);
        long id = replays.skip(DEAD, 10, "ann", "obsolete");

        try (OpenTransaction locking = OpenTransaction.of(outbox.owner())) {
            locking.run("SELECT FROM events.outbox_delivery WHERE aggregate_id = '2' FOR UPDATE");
            feed(1);
        }

        assertThat(replay(id).status()).isEqualTo(Status.DONE);
        assertThat(replay(id).progress().fed()).isEqualTo(2);
        assertThat(replay(id).progress().busy()).isEqualTo(1);
        assertThat(lane("2")).containsExactly("1 DEAD");
        assertThat(log("SKIP")).hasSize(2);
    }

    @Test
    void latePageChangesNothing() throws SQLException {
        kill(20);
        long id = replays.retry(DEAD, 10, "ann", "again");
        feed(1);
        settle(DIES, claimDue());
        JdbcOperations operations = (JdbcOperations) Operator.of(outbox).operations();
        Replay.Origin later = new Replay.Origin("ann", "again", Instant.now().plus(Duration.ofHours(1)));
        Replay retry = replay(id);

        operations.advance(
                new Replay(id, Kind.RETRY, retry.request(), DEAD, later, retry.status(), retry.progress()),
                DEAD,
                0,
                1000,
                10);

        assertThat(fed(id)).isEqualTo(10);
        assertThat(log("RETRY")).hasSize(10);
    }

    @Test
    void handlerMayBeUnknownOrPaused() throws SQLException {
        EventEnvelope orphan = outbox.publish("1", new OrderPlaced(1));
        lanes.dead("removed", orphan);
        lanes.dead("mail", orphan);
        outbox.sql()
                .sql("UPDATE events.outbox_handler SET paused_until = 'infinity'")
                .update();
        long skip = replays.skip(DEAD.ofHandler("removed"), 10, "ann", "the handler is gone");
        long retry = replays.retry(DEAD, 10, "ann", "for later");

        feed(1);

        assertThat(replay(skip).status()).isEqualTo(Status.DONE);
        assertThat(replay(retry).status()).isEqualTo(Status.DONE);
        assertThat(lane("1")).containsExactly("1 OPEN");
    }

    @Test
    void failingReplayStopsNoOtherAndRestsBeforeItIsTriedAgain() throws SQLException {
        publish("past", 3);
        kill(1);
        long failing = start(ReplayRequest.of("mail"));
        long retry = replays.retry(DEAD, 10, "ann", "again");
        AtomicLong nanos = new AtomicLong();
        ReplayFeeder own = ReplayFeeders.of(replays, nanos::get);
        try (OpenTransaction locking = OpenTransaction.of(outbox.owner())) {
            locking.run("SELECT FROM events.outbox_replay WHERE id = " + failing + " FOR UPDATE");
            own.runOnce();
        }
        assertThat(replay(retry).status()).isEqualTo(Status.DONE);

        nanos.addAndGet(Duration.ofSeconds(9).toNanos());
        own.runOnce();
        assertThat(fed(failing)).isZero();
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        own.runOnce();
        assertThat(fed(failing)).isEqualTo(3);
    }

    @Test
    void replaysOfNewerReleaseDoNotStopTheOthers() throws SQLException {
        kill(1);
        long kind = replays.retry(DEAD, 10, "ann", "again");
        long selection = replays.retry(DEAD, 10, "ann", "again");
        long retry = replays.retry(DEAD, 10, "ann", "again");
        outbox.sql()
                .sql("ALTER TABLE events.outbox_replay DROP CONSTRAINT outbox_replay_kind")
                .update();
        outbox.sql()
                .sql("UPDATE events.outbox_replay SET kind = 'POSTPONE' WHERE id = ?")
                .param(kind)
                .update();
        outbox.sql()
                .sql("UPDATE events.outbox_replay SET deliveries = deliveries || '{\"newer\": 1}' WHERE id = ?")
                .param(selection)
                .update();
        Logger logger = (Logger) LoggerFactory.getLogger(ReplayFeeder.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);

        feeder.runOnce();
        feeder.runOnce();
        logger.detachAppender(lines);

        assertThat(replays.list()).extracting(Replay::id).containsExactly(retry);
        assertThat(replays.find(kind)).isEmpty();
        assertThat(fed(retry)).isEqualTo(1);
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Replay " + kind + " to mail fails; it is tried again",
                        "Replay " + selection + " to mail fails; it is tried again");
    }

    @Test
    void doesNotHoldBackRetention() throws SQLException {
        publish("1", 2);
        kill(1);
        replays.retry(DEAD, 10, "ann", "again");

        assertThat(RetentionSteps.archive(outbox)).isEqualTo(2);
    }

    @Test
    void skippedEventIsDeliveredAgain() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 3);
        events.forEach((event) -> lanes.dead("mail", event));
        lanes.dead("audit", events.get(1));
        replays.skip(DEAD, 100, "ann", "obsolete");
        feed(1);
        assertThat(dead()).isZero();

        Replay finished = again(events.get(0));
        Replay unfinished = again(events.get(1));

        assertThat(finished.progress().fed()).isEqualTo(1);
        assertThat(finished.progress().allFed()).isTrue();
        assertThat(finished.request().eventId()).isEqualTo(events.get(0).eventId());
        assertThat(unfinished.progress().fed()).isEqualTo(1);
        assertThat(claimDue())
                .extracting((due) -> due.envelope().eventId())
                .containsExactly(events.get(0).eventId(), events.get(1).eventId());
    }

    private Replay again(EventEnvelope event) throws SQLException {
        long id = start(ReplayRequest.of("mail").event(event.eventId()));
        feed(1);
        return replay(id);
    }

    /** Dead letters, each of an aggregate of its own. */
    private List<EventEnvelope> kill(int count) {
        List<EventEnvelope> events = IntStream.rangeClosed(1, count)
                .mapToObj((aggregate) -> outbox.publish("" + aggregate, new OrderPlaced(1)))
                .toList();
        events.forEach((event) -> lanes.dead("mail", event));
        return events;
    }

    private OutboxOperations.Changed retry(EventEnvelope event) {
        return Operator.of(outbox)
                .operations()
                .retry(DeliverySelection.delivery(event.eventId(), "mail"), "bob", "this one counts");
    }

    private long dead() {
        return Operator.of(outbox).operations().count(DEAD).value();
    }

    private List<Operation> log(String action) {
        return Operator.of(outbox).operations().operations(OperationSelection.ofHandler("mail"), 1000).stream()
                .filter((operation) -> operation.action().equals(action))
                .toList();
    }
}
