package dev.outbox.operations.internal.operate;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.LaneSteps;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two processes that poll only when they are woken: the polling interval is too long to help. */
class PauseTest {

    private static final PollerSettings WHEN_WOKEN =
            new PollerSettings(Duration.ofHours(1), 50, Duration.ofMinutes(1), Duration.ofSeconds(10));

    private static final Duration SHORT = Duration.ofSeconds(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox other = outbox.another();
    private final Lanes lanes = new Lanes(outbox);
    private final Recorded mail = Recorded.all();
    private final Recorded audit = Recorded.all();

    private void start() {
        for (TestOutbox process : List.of(outbox, other)) {
            start(process.stream("slow", WHEN_WOKEN), HandlerDefinition.of("mail", Set.of("*"), mail));
        }
        awaitListeners();
    }

    /** Starts a process with the audit, so that another one delegates nothing of it. */
    private void start(TestOutbox process, HandlerDefinition... others) {
        for (HandlerDefinition one : others) {
            process.handler(one);
        }
        process.handler("audit", "*", audit).withNotifications().stream("default", WHEN_WOKEN)
                .start();
    }

    /** Waits until both processes listen: one that does not misses wake-ups for an hour. */
    private void awaitListeners() {
        await().until(() ->
                outbox.count("pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()") == 2);
    }

    @Test
    void pausedHandlerQueuesDeliveriesUntilItResumes() {
        start();
        assertThat(operations(other).pauseHandler("mail", "ann", "the mail server is down"))
                .isTrue();
        List<EventEnvelope> events = publish(200);
        await().until(() -> audit.handled().size() == 200);
        await().until(() -> outbox.deliveries() == 200);

        assertThat(mail.handled()).isEmpty();
        assertThat(lanes.of("mail", "a0").subList(0, 3)).containsExactly("1 OPEN 0", "2 OPEN 0", "3 OPEN 0");
        assertThat(events).allSatisfy((event) -> assertThat(outbox.event(event)).isRetrying());

        assertThat(operations(outbox).resumeHandler("mail", "bob", "it is back"))
                .isTrue();
        outbox.awaitPublished(200);
        List<Long> inOrder = LongStream.rangeClosed(1, 20).boxed().toList();
        assertThat(mail.sequences())
                .hasSize(10)
                .allSatisfy((id, sequences) -> assertThat(sequences).isEqualTo(inOrder));
    }

    @Test
    void retryClaimObeysPauseBeforeRegistryIsRead() throws SQLException {
        outbox.addStream("default");
        lanes.registered("mail", "{}", "*");
        lanes.failed("mail", publish(1).get(0));
        lanes.due();
        LaneSteps deliveries = new LaneSteps(outbox);
        ActiveHandlers mail = ActiveHandlers.ofAllTypes("mail");

        operations(outbox).pauseHandler("mail", "ann", "the mail server is down");
        assertThat(deliveries.claimDue(10, mail)).isEmpty();
        operations(outbox).resumeHandler("mail", "ann", "it is back");
        operations(outbox).pauseStream("default", "ann", "maintenance");
        assertThat(deliveries.claimDue(10, mail)).isEmpty();
        operations(outbox).resumeStream("default", "ann", "done");
        assertThat(deliveries.claimDue(10, mail)).hasSize(1);
    }

    @Test
    void pausedStreamStopsInEveryProcess() {
        start();
        assertThat(operations(outbox).pauseStream("slow", "ann", "maintenance")).isTrue();
        List<EventEnvelope> slow = IntStream.range(0, 20)
                .mapToObj((i) -> publishIn(i % 2 == 0 ? outbox : other, "slow"))
                .toList();
        List<EventEnvelope> events = publish(20);
        outbox.awaitPublished(20);

        assertThat(events).allSatisfy((event) -> assertThat(outbox.event(event)).isPublished());
        assertThat(slow).allSatisfy((event) -> assertThat(outbox.event(event)).isPending());
        operations(other).resumeStream("slow", "bob", "done");
        outbox.awaitPublished(40);
        assertThat(mail.sequences().get("slow"))
                .isEqualTo(LongStream.rangeClosed(1, 20).boxed().toList());
    }

    @Test
    void pausedStreamContinuesByItself() {
        start();
        operations(outbox).pauseStream("slow", SHORT, "ann", "maintenance");
        IntStream.range(0, 20).forEach((i) -> publishIn(i % 2 == 0 ? outbox : other, "slow"));
        outbox.awaitPublished(20);

        assertNothingEndedBefore(end());
        assertThat(mail.sequences().get("slow"))
                .isEqualTo(LongStream.rangeClosed(1, 20).boxed().toList());
    }

    /** Each process has read in the registry that the handler is paused, and nothing tells it that the pause is over. */
    @Test
    void pausedHandlerContinuesByItself() {
        start();
        operations(other).pauseHandler("mail", SHORT, "ann", "the mail server is down");
        publish(200);
        await().until(() -> audit.handled().size() == 200);
        outbox.awaitPublished(200);

        assertNothingEndedBefore(end());
        List<Long> inOrder = LongStream.rangeClosed(1, 20).boxed().toList();
        assertThat(mail.sequences())
                .hasSize(10)
                .allSatisfy((id, sequences) -> assertThat(sequences).isEqualTo(inOrder));
        publish(10);
        outbox.awaitPublished(210);
        assertThat(outbox.deliveries()).isZero();
    }

    /** Processes rest until they are woken, and have seen a pause without an end, and one that ends tomorrow. */
    @Test
    void newEndReplacesTheFormerOne() {
        start();
        operations(outbox).pauseStream("slow", "ann", "maintenance");
        operations(outbox).pauseHandler("mail", Duration.ofDays(1), "ann", "maintenance");
        publishIn(outbox, "slow");
        publish(10);
        await().until(() -> audit.handled().size() == 10);

        assertThat(operations(other).pauseStream("slow", SHORT, "bob", "soon")).isTrue();
        assertThat(operations(other).pauseHandler("mail", SHORT, "bob", "soon")).isTrue();
        outbox.awaitPublished(11);
        assertThat(Operator.of(outbox).inspector().pauses()).isEmpty();
    }

    @Test
    void endNeedsNoProcessAndNoClockButTheDatabase() throws SQLException {
        outbox.addStream("default");
        lanes.registered("mail", "{}", "*");
        lanes.failed("mail", publish(1).get(0));
        lanes.due();
        LaneSteps deliveries = new LaneSteps(outbox);
        ActiveHandlers mail = ActiveHandlers.ofAllTypes("mail");
        operations(outbox).pauseHandler("mail", Duration.ofHours(1), "ann", "the mail server is down");
        operations(outbox).pauseStream("default", Duration.ofHours(2), "ann", "maintenance");

        passes("1 hour");
        assertThat(deliveries.claimDue(10, mail)).isEmpty();
        passes("1 hour");
        assertThat(deliveries.claimDue(10, mail)).hasSize(1);
    }

    /** A worker that began before the pause finishes when it is over, and nothing of it is done twice. */
    @Test
    void pauseBeginsAndEndsWhileAHandlerRuns() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        start(outbox, HandlerDefinition.of("mail", Set.of("*"), (event) -> {
            mail.handle(event);
            began.countDown();
            ends.await();
        }));
        publish(1);
        assertThat(began.await(10, TimeUnit.SECONDS)).isTrue();
        operations(outbox).pauseHandler("mail", Duration.ofHours(1), "ann", "maintenance");
        operations(outbox).pauseStream("default", Duration.ofHours(1), "ann", "maintenance");
        passes("1 hour");
        ends.countDown();

        outbox.awaitPublished(1);
        IntStream.range(0, 9).forEach((i) -> outbox.publish("a" + i, new OrderPlaced(i)));
        outbox.awaitPublished(10);
        assertThat(mail.handled()).hasSize(10);
    }

    /** The clock of the database goes back behind the end, as after a failover to a server whose clock is late. */
    @Test
    void pauseThatIsNotOverAnyMoreHolds() throws SQLException {
        start();
        operations(outbox).pauseHandler("mail", SHORT, "ann", "maintenance");
        publish(10);
        outbox.awaitPublished(10);

        passes("-1 hour");
        publish(10);
        await().until(() -> audit.handled().size() == 20);
        await().until(() -> outbox.deliveries() == 10);
        operations(outbox).resumeHandler("mail", "ann", "done");
        outbox.awaitPublished(20);
    }

    @Test
    void endIsInTheLogAndTheOverview() {
        start();
        operations(outbox).pauseHandler("mail", Duration.ofMinutes(30), "ann", "the mail server is down");
        operations(outbox).pauseStream("slow", Duration.ofHours(1), "ann", "maintenance");
        operations(outbox).pauseStream("default", "ann", "maintenance");

        List<Operation> log = operations(outbox).operations(OperationSelection.all(), 10);
        assertThat(log)
                .extracting(Operation::action, PauseTest::length)
                .containsExactly(
                        tuple("PAUSE_STREAM", null),
                        tuple("PAUSE_STREAM", Duration.ofHours(1)),
                        tuple("PAUSE_HANDLER", Duration.ofMinutes(30)));
        OutboxOverview overview = Operator.of(outbox).inspector().overview();
        assertThat(overview.streams())
                .extracting(
                        OutboxOverview.Stream::name, OutboxOverview.Stream::paused, OutboxOverview.Stream::pausedUntil)
                .containsExactly(
                        tuple("default", true, null),
                        tuple("slow", true, log.get(1).pausedUntil()));
        assertThat(overview.handlers())
                .filteredOn(OutboxOverview.Handler::paused)
                .extracting(OutboxOverview.Handler::id, OutboxOverview.Handler::pausedUntil)
                .containsExactly(tuple("mail", log.get(2).pausedUntil()));
    }

    private static @Nullable Duration length(Operation pause) {
        Instant end = pause.pausedUntil();
        return end == null ? null : Duration.between(pause.performedAt(), end);
    }

    @Test
    void pauseThatIsOverIsNotResumed() {
        start();
        operations(outbox).pauseHandler("mail", Duration.ofHours(1), "ann", "down");
        operations(outbox).pauseStream("slow", Duration.ofHours(1), "ann", "down");
        passes("1 hour");

        assertThat(Operator.of(outbox).inspector().pauses()).isEmpty();
        assertThat(operations(outbox).resumeHandler("mail", "bob", "up")).isFalse();
        assertThat(operations(outbox).resumeStream("slow", "bob", "up")).isFalse();
        assertThat(operations(outbox).operations(OperationSelection.all(), 10)).hasSize(2);
        assertThat(operations(outbox).pauseHandler("mail", "bob", "down again")).isTrue();
        assertThat(Operator.of(outbox).inspector().pauses())
                .extracting(Operation::performedBy)
                .containsExactly("bob");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT0.999S", "-PT1H", "P365DT1S"})
    void durationOutOfBoundsIsRefused(Duration duration) {
        OutboxOperations operations = operations(outbox);

        assertThatThrownBy(() -> operations.pauseHandler("mail", duration, "ann", "down"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("between a second and 365 days");
        assertThatThrownBy(() -> operations.pauseStream("slow", duration, "ann", "down"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("between a second and 365 days");
        assertThat(operations.operations(OperationSelection.all(), 10)).isEmpty();
    }

    /** Moves the ends of pauses, as if the clock of the database had moved on. */
    private void passes(String interval) {
        outbox.update("UPDATE events.outbox_handler SET paused_until = paused_until - ?::interval", interval);
        outbox.update("UPDATE events.outbox_stream SET paused_until = paused_until - ?::interval", interval);
    }

    private Instant end() {
        return operations(outbox).operations(OperationSelection.all(), 1).get(0).pausedUntil();
    }

    private void assertNothingEndedBefore(Instant end) {
        assertThat(outbox.value(OffsetDateTime.class, "SELECT min(published_at) FROM events.outbox_published")
                        .toInstant())
                .isAfter(end);
    }

    private static OutboxOperations operations(TestOutbox process) {
        return Operator.of(process).operations();
    }

    /** Events of ten aggregates, published in turn by both processes. */
    private List<EventEnvelope> publish(int count) {
        return IntStream.range(0, count)
                .mapToObj((i) -> (i % 2 == 0 ? outbox : other).publish("a" + i % 10, new OrderPlaced(i)))
                .toList();
    }

    private static EventEnvelope publishIn(TestOutbox process, String stream) {
        return process.publish(
                OutboxEvent.of("order", stream, new OrderPlaced(1)).inStream(stream));
    }

    @Test
    void pausesHandlerByFormerId() {
        start(outbox, HandlerDefinition.of("mail", Set.of("*"), mail));
        Recorded renamed = Recorded.all();
        start(other, HandlerDefinition.of("post", Set.of("*"), renamed).aliases("mail"));
        awaitListeners();
        operations(outbox).pauseHandler("mail", "ann", "the mail server is down");
        publish(10);
        await().until(() -> audit.handled().size() == 10);

        assertThat(mail.handled()).isEmpty();
        assertThat(renamed.handled()).isEmpty();
        operations(outbox).resumeHandler("post", "ann", "it is back");
        outbox.awaitPublished(10);
        assertThat(mail.handled().size() + renamed.handled().size()).isEqualTo(10);
    }

    @Test
    void handlerThatIsRenamedStaysPaused() {
        outbox.handler("mail", "*", mail).stream("default", WHEN_WOKEN).start();
        operations(outbox).pauseHandler("mail", "ann", "the mail server is down");
        outbox.runtime().close();
        Recorded renamed = Recorded.all();
        start(other, HandlerDefinition.of("post", Set.of("*"), renamed).aliases("mail"));
        // No process knows the former id any more.
        outbox.sql()
                .sql("UPDATE events.outbox_handler SET last_seen_at = '-infinity' WHERE id = 'mail'")
                .update();
        outbox.sql()
                .sql("UPDATE events.outbox_stream SET registry_version = registry_version + 1")
                .update();
        publish(10);
        await().until(() -> audit.handled().size() == 10);
        await().until(() -> outbox.deliveries() == 10);

        assertThat(renamed.handled()).isEmpty();
        assertThat(operations(other).resumeHandler("post", "ann", "it is back")).isTrue();
        outbox.awaitPublished(10);
        assertThat(operations(other).resumeHandler("mail", "ann", "to be sure")).isFalse();
    }

    @Test
    void pausesHandlerBeforeItsFirstRegistration() {
        start(outbox);
        assertThat(operations(outbox).pauseNewHandler("mail", "ann", "its past comes first"))
                .isTrue();
        assertThat(operations(outbox).pauseNewHandler("mail", "ann", "its past comes first"))
                .isFalse();
        start(other, HandlerDefinition.of("mail", Set.of("*"), mail));
        publish(10);
        await().until(() -> audit.handled().size() == 10);
        await().until(() -> outbox.deliveries() == 10);

        assertThat(mail.handled()).isEmpty();
        assertThat(operations(other).operations(OperationSelection.all(), 10))
                .extracting(Operation::action, (one) -> one.subject().handlerId())
                .containsExactly(tuple("PAUSE_HANDLER", "mail"));
        operations(other).resumeHandler("mail", "ann", "its past is there");
        outbox.awaitPublished(10);
    }

    @Test
    void onlyWhatChangesIsDoneAndRecorded() {
        start();
        long version = registryVersion();
        assertThat(operations(outbox).resumeHandler("mail", "ann", "to be sure"))
                .isFalse();
        assertThat(operations(outbox).resumeStream("slow", "ann", "to be sure")).isFalse();
        assertThat(registryVersion()).isEqualTo(version);

        assertThat(operations(outbox).pauseHandler("mail", "ann", "down")).isTrue();
        assertThat(operations(outbox).pauseHandler("mail", "bob", "down")).isFalse();
        assertThat(operations(outbox).pauseStream("slow", "ann", "down")).isTrue();
        assertThat(operations(outbox).pauseStream("slow", "bob", "down")).isFalse();
        assertThat(Operator.of(outbox).inspector().pauses())
                .extracting(Operation::performedBy, (one) -> one.subject().handlerId(), (one) -> one.subject().stream())
                .containsExactlyInAnyOrder(tuple("ann", "mail", null), tuple("ann", null, "slow"));
        assertThat(operations(outbox).resumeHandler("mail", "bob", "up")).isTrue();
        assertThat(operations(outbox).resumeStream("slow", "bob", "up")).isTrue();
        assertThat(registryVersion()).isEqualTo(version + 2);

        assertThat(operations(outbox).operations(OperationSelection.all(), 10))
                .extracting(
                        Operation::performedBy,
                        Operation::action,
                        Operation::reason,
                        (one) -> one.subject().handlerId(),
                        (one) -> one.subject().stream())
                .containsExactly(
                        tuple("bob", "RESUME_STREAM", "up", null, "slow"),
                        tuple("bob", "RESUME_HANDLER", "up", "mail", null),
                        tuple("ann", "PAUSE_STREAM", "down", null, "slow"),
                        tuple("ann", "PAUSE_HANDLER", "down", "mail", null));
    }

    @Test
    void recordsWhereInboxContinues() {
        outbox.handler("kafka-inbox-shop", "*", mail).start();
        operations(other).resumeInbox("shop", InboxStart.LATEST, "ann", "the lost orders are entered by hand");

        assertThat(operations(outbox).operations(OperationSelection.ofHandler("kafka-inbox-shop"), 10))
                .extracting(Operation::performedBy, Operation::action, Operation::reason)
                .containsExactly(tuple("ann", "RESUME_INBOX_LATEST", "the lost orders are entered by hand"));
    }

    private long registryVersion() {
        return outbox.sql()
                .sql("SELECT registry_version FROM events.outbox_stream WHERE stream = 'default'")
                .query(Long.class)
                .single();
    }
}
