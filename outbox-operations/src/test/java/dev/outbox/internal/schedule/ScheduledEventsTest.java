package dev.outbox.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.StatementCounter;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.notify.WakeUp;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.ScheduledEvent;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduledEventsTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox other = outbox.another();
    private final Recorded handler = Recorded.all();

    @Test
    void takesItsPlaceInTheOrderWhenItIsDueAndNotBefore() throws SQLException {
        EventEnvelope scheduled = schedule(event(7).deliverAfter(HOUR));
        outbox.publish("1", new OrderPlaced(1));
        mover().runOnce();
        assertThat(outbox.unpublished()).isEqualTo(1);

        outbox.publish("1", new OrderPlaced(2));
        due();
        mover().runOnce();
        outbox.publish("1", new OrderPlaced(3));

        assertThat(scheduled.id()).isZero();
        assertThat(scheduled.sequence()).isZero();
        assertThat(numbers()).containsExactly("1", "2", "7", "3");
        assertThat(Operator.of(outbox)
                        .inspector()
                        .findEvent(scheduled.eventId())
                        .orElseThrow()
                        .event()
                        .sequence())
                .isEqualTo(3);
        assertThat(outbox.scheduled()).isZero();
    }

    @Test
    void isDeliveredWhenItIsDueWithoutALook() {
        outbox.handler("mail", "*", handler).poller(HOUR, 50, HOUR).start();

        EventEnvelope scheduled = schedule(event(1).deliverAfter(Duration.ofMillis(300)));

        await().untilAsserted(() -> assertThat(handler.handled()).hasSize(1));
        assertThat(handler.handled().get(0).eventId()).isEqualTo(scheduled.eventId());
        assertThat(handler.handled().get(0).occurredAt()).isEqualTo(scheduled.occurredAt());
        assertThat(outbox.sql()
                        .sql("SELECT last_attempt_at >= occurred_at FROM events.outbox_status")
                        .query(Boolean.class)
                        .list())
                .doesNotContain(false);
    }

    @Test
    void isFoundByALookWithoutAWakeUp() {
        outbox.handler("mail", "*", handler).poller(HOUR, 50, HOUR).start();

        other.publish(event(1).deliverAfter(Duration.ofMillis(300)));

        await().untilAsserted(() -> assertThat(handler.handled()).hasSize(1));
    }

    @Test
    void wakesNoMoverForWhatALookFindsInTime() {
        List<WakeUp> woken = new ArrayList<>();
        StatementCounter source = new StatementCounter(outbox.dataSource());
        OutboxPublisher publisher =
                source.publisher(PublisherSettings.defaults(), (committed) -> woken.add(committed.wakeUp()));

        source.inTransaction(() -> publisher.publish(event(1).deliverAfter(HOUR)));
        source.inTransaction(
                () -> publisher.publish(event(2).deliverAt(Instant.now().plus(HOUR))));
        assertThat(woken).isEmpty();

        source.inTransaction(() -> publisher.publish(event(3).deliverAfter(Duration.ofMinutes(1))));
        source.inTransaction(
                () -> publisher.publish(event(4).deliverAt(Instant.now().plusSeconds(60))));
        assertThat(woken).hasSize(2).containsOnly(WakeUp.SCHEDULED);
    }

    @Test
    void wakesTheMoverOfAnotherProcess() {
        other.handler("mail", "*", handler)
                .withNotifications()
                .poller(HOUR, 50, HOUR)
                .start();
        outbox.withNotifications().withoutPolling().start();

        await().untilAsserted(() -> {
            schedule(event(1).deliverAfter(Duration.ZERO).withKey("k").keepExisting());
            assertThat(handler.handled()).isNotEmpty();
        });
    }

    @Test
    void sameKeyReplacesTimeAndContent() throws SQLException {
        schedule(event(1).deliverAfter(Duration.ZERO).withKey("overdue"));
        EventEnvelope second = schedule(event(2).deliverAfter(HOUR).withKey("overdue"));
        mover().runOnce();

        assertThat(outbox.unpublished()).isZero();
        assertThat(found()).extracting(ScheduledEvent::eventId).containsExactly(second.eventId());

        due();
        mover().runOnce();
        assertThat(numbers()).containsExactly("2");
    }

    @Test
    void existingOneIsKept() {
        EventEnvelope first = schedule(event(1).deliverAfter(HOUR).withKey("overdue"));

        EventEnvelope second =
                schedule(event(2).deliverAfter(Duration.ZERO).withKey("overdue").keepExisting());

        assertThat(second).isEqualTo(first);
        assertThat(found()).hasSize(1);
    }

    @Test
    void keyBelongsToItsAggregate() {
        schedule(event(1).deliverAfter(HOUR).withKey("overdue"));
        schedule(event("2", 2).deliverAfter(HOUR).withKey("overdue"));
        schedule(event(3).deliverAfter(HOUR));
        schedule(event(4).deliverAfter(HOUR));

        assertThat(found()).hasSize(4);
        assertThat(Operator.of(outbox).scheduled().find("order", "2", 100)).hasSize(1);
    }

    @Test
    void isCancelledOnceAndNotAfterItWasMoved() throws SQLException {
        schedule(event(1).deliverAfter(HOUR).withKey("overdue"));
        assertThat(cancel("2", "overdue")).isFalse();
        assertThat(cancel("1", "other")).isFalse();
        assertThat(cancel("1", "overdue")).isTrue();
        assertThat(cancel("1", "overdue")).isFalse();

        schedule(event(2).deliverAfter(Duration.ZERO).withKey("overdue"));
        mover().runOnce();

        assertThat(cancel("1", "overdue")).isFalse();
        assertThat(numbers()).containsExactly("2");
    }

    @Test
    void rollbackLeavesTheDeadlineAsItWas() {
        EventEnvelope first = schedule(event(1).deliverAfter(HOUR).withKey("overdue"));

        outbox.transactions().executeWithoutResult((status) -> {
            assertThat(outbox.publisher().cancel("order", "1", "overdue")).isTrue();
            outbox.publisher().publish(event(2).deliverAfter(Duration.ZERO).withKey("overdue"));
            status.setRollbackOnly();
        });

        assertThat(found()).extracting(ScheduledEvent::eventId).containsExactly(first.eventId());
        assertThat(found().get(0).dueAt()).isAfter(Instant.now().plus(Duration.ofMinutes(30)));
    }

    /** The mover passes by an aggregate whose publisher is at work, and moves the others. */
    @Test
    void neverWaitsForATransactionOfTheApplication() throws SQLException {
        schedule(event(1).deliverAfter(Duration.ZERO).withKey("overdue"));
        schedule(event("2", 2).deliverAfter(Duration.ZERO));

        outbox.inTransaction(() -> {
            outbox.publisher().publish("order", "1", new OrderPlaced(5));
            run();
            assertThat(numbers()).containsExactly("5", "2");
            return outbox.publisher().cancel("order", "1", "overdue");
        });
        mover().runOnce();

        assertThat(numbers()).containsExactly("5", "2");
    }

    /** A transaction that has locked the aggregate decides; a canceller that waited for it sees what it committed. */
    @Test
    void cancelSeesWhatATransactionBeforeItHasScheduled() throws SQLException {
        outbox.publish("1", new OrderPlaced(1));
        CompletableFuture<Boolean> cancelled;
        try (OpenTransaction first = OpenTransaction.of(outbox.owner())) {
            first.run("UPDATE events.outbox_aggregate SET last_seq = last_seq");
            first.run(
                    "INSERT INTO events.outbox_scheduled (event_id, stream, aggregate_type, aggregate_id, key, event_type,"
                            + " schema_version, payload, headers, due_at) VALUES (gen_random_uuid(), 'default', 'order', '1', 'overdue',"
                            + " 'OrderPaid', 1, '{}', '{}', now() + interval '1 hour')");
            cancelled = InBackground.run(() -> cancel("1", "overdue"));
            outbox.awaitWaiting(1);
            first.commit();
        }

        assertThat(InBackground.result(cancelled)).isTrue();
        assertThat(found()).isEmpty();
    }

    @Test
    void eventsOfAnAggregateMoveInTheOrderOfTheirTimes() throws SQLException {
        for (int number : List.of(3, 1, 2)) {
            schedule(event(number).deliverAt(Instant.parse("2020-01-0" + number + "T00:00:00Z")));
        }

        mover().runOnce();

        assertThat(outbox.sql()
                        .sql("SELECT aggregate_seq || ':' || (payload ->> 'number') FROM events.outbox ORDER BY id")
                        .query(String.class)
                        .list())
                .containsExactly("1:1", "2:2", "3:3");
    }

    @Test
    void fullQueueGetsAFewOverdueEventsHoweverOftenItIsAsked() throws SQLException {
        scheduleMany(2_000);
        ScheduleMover mover = mover();
        for (int round = 0; round < 6; round++) {
            mover.runOnce();
        }

        assertThat(outbox.unpublished()).isEqualTo(600);
        outbox.handler("mail", "*", handler).start();
        await().untilAsserted(() -> assertThat(handler.handled()).hasSize(2_000));
        assertThat(handler.sequences().get("1")).isSorted();
    }

    @Test
    void eventsThatAreDueAtOneTimeKeepTheirOrderAcrossBatches() throws SQLException {
        Instant midnight = Instant.parse("2026-01-01T00:00:00Z");
        List<EventEnvelope> scheduled = outbox.inTransaction(() -> outbox.publisher()
                .publishAll(IntStream.range(0, 700)
                        .mapToObj((number) -> event(number).deliverAt(midnight))
                        .toList()));
        mover().runOnce();
        outbox.handler("mail", "*", handler).start();

        await().untilAsserted(() -> assertThat(handler.handled()).hasSize(700));
        assertThat(handler.handled())
                .extracting(EventEnvelope::eventId)
                .containsExactlyElementsOf(
                        scheduled.stream().map(EventEnvelope::eventId).toList());
    }

    @Test
    void eventThatWasPublishedUnderItsIdIsNotStoredTwiceAndStopsNoOther() throws SQLException {
        EventEnvelope scheduled = schedule(event(1).deliverAfter(Duration.ZERO));
        outbox.publish(event(2).withEventId(scheduled.eventId()));
        schedule(event(3).deliverAfter(Duration.ZERO));

        mover().runOnce();

        assertThat(numbers()).containsExactly("2", "3");
        assertThat(outbox.sql()
                        .sql("SELECT max(aggregate_seq) FROM events.outbox")
                        .query(Long.class)
                        .single())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE FROM events.outbox_aggregate WHERE aggregate_id = '1'",
                "UPDATE events.outbox_aggregate SET last_seq = 0"
            })
    void wrongCounterStopsNoOther(String damage) throws SQLException {
        outbox.publish("1", new OrderPlaced(1));
        schedule(event(2).deliverAfter(Duration.ZERO));
        schedule(event("2", 3).deliverAfter(Duration.ZERO));
        outbox.sql().sql(damage).update();

        mover().runOnce();

        assertThat(numbers()).containsExactly("1", "3");
        assertThat(found()).hasSize(1);
        assertThat(backlog().overdue()).isPositive();
    }

    /** The transaction that was the first to publish events of the type may roll back. */
    @Test
    void eventMovesAlthoughItsTypeIsNotStored() throws SQLException {
        try (OpenTransaction first = OpenTransaction.of(outbox.owner())) {
            first.run("SELECT pg_advisory_xact_lock(hashtextextended('outbox type of \"events\" order', 0))");
            schedule(event(1).deliverAfter(Duration.ZERO));
        }

        mover().runOnce();

        assertThat(numbers()).containsExactly("1");
    }

    @Test
    void lockedAggregateDelaysNoEventThatIsDueSoon() throws SQLException {
        schedule(event(1).deliverAfter(Duration.ZERO));
        ScheduleMover mover = mover();
        try (OpenTransaction publisher = OpenTransaction.of(outbox.owner())) {
            publisher.run("UPDATE events.outbox_aggregate SET last_seq = last_seq");
            for (int round = 0; round < 6; round++) {
                mover.runOnce();
            }
            schedule(event("2", 2).deliverAfter(Duration.ofMillis(500)));

            assertThat(mover.runOnce()).isLessThanOrEqualTo(Duration.ofMillis(500));
        }
    }

    @Test
    void lockedAggregateHidesNoOtherWhileAnotherStreamMoves() throws SQLException {
        outbox.stream("other", PollerSettings.defaults());
        scheduleMany(600);
        schedule(event("2", 7).deliverAfter(Duration.ZERO));
        ScheduleMover mover = mover("default", "other");

        try (OpenTransaction publisher = OpenTransaction.of(outbox.owner())) {
            publisher.run("UPDATE events.outbox_aggregate SET last_seq = last_seq WHERE aggregate_id = '1'");
            for (int round = 0; round < 3; round++) {
                schedule(OutboxEvent.of("invoice", "1", new OrderPaid(8))
                        .inStream("other")
                        .deliverAfter(Duration.ZERO));
                mover.runOnce();
            }
        }

        assertThat(numbers()).contains("7");
    }

    /** A job of the application may hold the counters of very many aggregates in one transaction. */
    @Test
    void manyLockedAggregatesHideNoOther() throws SQLException {
        outbox.sql().sql("""
                        INSERT INTO events.outbox_aggregate SELECT 'job', n::text, 0 FROM generate_series(1, 60000) n
                        """).update();
        outbox.sql().sql("""
                        INSERT INTO events.outbox_scheduled (event_id, stream, aggregate_type, aggregate_id, event_type,
                                                             schema_version, payload, headers, due_at)
                        SELECT gen_random_uuid(), 'default', 'job', n::text, 'OrderPaid', 1, '{}', '{}', now() - interval '1 h'
                          FROM generate_series(1, 60000) n
                        """).update();
        schedule(event(7).deliverAfter(Duration.ZERO));
        ScheduleMover mover = mover();

        try (OpenTransaction job = OpenTransaction.of(outbox.owner())) {
            job.run("UPDATE events.outbox_aggregate SET last_seq = last_seq WHERE aggregate_type = 'job'");
            for (int round = 0; round < 20; round++) {
                mover.runOnce();
            }
        }

        assertThat(numbers()).containsExactly("7");
    }

    @Test
    void aggregateThatIsFreedBetweenRoundsKeepsItsOrder() throws SQLException {
        schedule(event(1).deliverAfter(Duration.ZERO));
        outbox.inTransaction(() -> outbox.publisher()
                .publishAll(IntStream.range(0, 600)
                        .mapToObj((number) -> event("2", 0).deliverAfter(Duration.ZERO))
                        .toList()));
        schedule(event(2).deliverAfter(Duration.ZERO));
        ScheduleMover mover = mover();
        try (OpenTransaction publisher = OpenTransaction.of(outbox.owner())) {
            publisher.run("UPDATE events.outbox_aggregate SET last_seq = last_seq");
            mover.runOnce();
        }
        for (int round = 0; round < 15; round++) {
            mover.runOnce();
        }

        assertThat(numbers()).filteredOn((number) -> !number.equals("0")).containsExactly("1", "2");
    }

    @Test
    void refusedEventIsPutAsideAndStopsNoOther() {
        refuse("aggregate_id = '1'");
        EventEnvelope refused = schedule(event(1).deliverAfter(Duration.ZERO));
        schedule(event("2", 2).deliverAfter(Duration.ZERO));
        schedule(event(3).deliverAfter(HOUR));
        outbox.handler("mail", "*", handler).start();

        await().untilAsserted(() -> assertThat(handler.handled()).hasSize(1));
        await().untilAsserted(() -> assertThat(found())
                .filteredOn((event) -> event.refusal() != null)
                .hasSize(1));
        ScheduledEvent aside = found().get(0);
        assertThat(aside.eventId()).isEqualTo(refused.eventId());
        assertThat(aside.refusal()).contains("not on Thursdays");
        assertThat(aside.dueAt())
                .isBetween(Instant.now().plusSeconds(1), Instant.now().plusSeconds(11));

        outbox.sql().sql("DROP TRIGGER refuse ON events.outbox_unpublished").update();
        assertThat(Operator.of(outbox).scheduled().deliverNow(refused.eventId(), "ann", "trigger corrected"))
                .isTrue();
        await().untilAsserted(() -> assertThat(handler.handled()).hasSize(2));
        assertThat(handler.handled().get(1).occurredAt()).isEqualTo(refused.occurredAt());
    }

    @Test
    void refusedEventWaitsLongerEachTime() throws SQLException {
        refuse("stream IS NOT NULL");
        schedule(event(1).deliverAfter(Duration.ZERO));
        for (int time = 1; time <= 12; time++) {
            due();
            ScheduleMover mover = mover();
            for (int round = 0; round < 3; round++) {
                assertThatThrownBy(mover::runOnce).hasMessageContaining("not on Thursdays");
            }
            mover.runOnce();
        }

        assertThat(outbox.sql()
                        .sql(
                                "SELECT due_at BETWEEN now() + interval '59 min' AND now() + interval '61 min' FROM events.outbox_scheduled")
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }

    private void refuse(String condition) {
        outbox.sql().sql("""
                        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE 'not on Thursdays'; END $$
                        """).update();
        outbox.sql()
                .sql("CREATE TRIGGER refuse BEFORE INSERT ON events.outbox_unpublished FOR EACH ROW WHEN (NEW."
                        + condition + ") EXECUTE FUNCTION refuse()")
                .update();
    }

    @Test
    void pausedStreamHoldsThemAndResumingMovesThem() throws SQLException {
        outbox.addStream("default");
        Operator.of(outbox).operations().pauseStream("default", "ann", "maintenance");
        schedule(event(1).deliverAfter(Duration.ZERO).withKey("overdue"));
        mover().runOnce();
        assertThat(numbers()).isEmpty();

        outbox.handler("mail", "*", handler).start();
        Operator.of(outbox).operations().resumeStream("default", "ann", "done");

        await().untilAsserted(() -> assertThat(handler.handled()).hasSize(1));
    }

    @Test
    void pausedStreamHoldsThemUntilItsPauseEnds() throws SQLException {
        outbox.addStream("default");
        Operator.of(outbox).operations().pauseStream("default", Duration.ofSeconds(30), "ann", "maintenance");
        schedule(event(1).deliverAfter(Duration.ZERO));
        assertThat(mover().runOnce()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
        assertThat(numbers()).isEmpty();

        outbox.update("UPDATE events.outbox_stream SET paused_until = paused_until - interval '30 s'");
        mover().runOnce();
        assertThat(numbers()).containsExactly("1");
    }

    @Test
    void operatorDeliversAndCancels() throws SQLException {
        EventEnvelope first = schedule(event(1).deliverAfter(HOUR));
        EventEnvelope second = schedule(event(2).deliverAfter(HOUR));

        assertThat(Operator.of(outbox).scheduled().deliverNow(first.eventId(), "ann", "asked for"))
                .isTrue();
        assertThat(Operator.of(outbox).scheduled().deliverNow(first.eventId(), "ann", "asked for"))
                .isFalse();
        assertThat(Operator.of(outbox).scheduled().cancel(second.eventId(), "ann", "obsolete"))
                .isTrue();
        assertThat(Operator.of(outbox).scheduled().cancel(second.eventId(), "ann", "obsolete"))
                .isFalse();
        mover().runOnce();

        assertThat(numbers()).containsExactly("1");
        assertThat(found()).isEmpty();
        assertThat(Operator.of(outbox).operations().operations(OperationSelection.all(), 10))
                .extracting(Operation::action)
                .containsExactly("CANCEL_SCHEDULED", "DELIVER_NOW");
    }

    @Test
    void overviewCountsThemAndTellsHowLongTheyAreOverdue() throws SQLException {
        outbox.addStream("default");
        schedule(event(1).deliverAfter(HOUR));
        assertThat(backlog().scheduled().value()).isEqualTo(1);
        assertThat(backlog().overdue()).isZero();

        schedule(event(2).deliverAt(Instant.now().minusSeconds(60)));
        assertThat(backlog().scheduled().value()).isEqualTo(2);
        assertThat(backlog().overdue()).isBetween(Duration.ofSeconds(60), Duration.ofMinutes(5));
    }

    private OutboxOverview.Backlog backlog() {
        return Operator.of(outbox).inspector().overview().streams().get(0).backlog();
    }

    @Test
    void batchMayMixEventsForNowAndLater() {
        List<EventEnvelope> stored = outbox.inTransaction(
                () -> outbox.publisher().publishAll(List.of(event(1), event(2).deliverAfter(HOUR), event("0", 3))));

        assertThat(stored).extracting(EventEnvelope::sequence).containsExactly(1L, 0L, 1L);
        assertThat(found()).hasSize(1);
    }

    @Test
    void sequencesOfAMixedBatchMustRise() {
        List<OutboxEvent> batch = List.of(
                event(1).deliverAfter(HOUR),
                OutboxEvent.of("invoice", "1", new OrderPaid(2)).withSequence(5),
                OutboxEvent.of("invoice", "1", new OrderPaid(3)).withSequence(4));

        assertThatThrownBy(() -> outbox.inTransaction(() -> outbox.publisher().publishAll(batch)))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("does not exceed 5");
        assertThat(found()).isEmpty();
    }

    @Test
    void refusedBatchSchedulesNothing() {
        UUID taken = new UUID(1, 1);
        outbox.publish(event(1).withEventId(taken));
        List<OutboxEvent> batch =
                List.of(event(2).deliverAfter(HOUR), event(3), event("2", 4).withEventId(taken));

        outbox.transactions()
                .executeWithoutResult(
                        (status) -> assertThatThrownBy(() -> outbox.publisher().publishAll(batch))
                                .isInstanceOf(EventConflictException.class));

        assertThat(found()).isEmpty();
        assertThat(numbers()).containsExactly("1");
    }

    @Test
    void missingTimeDoesNotMakeItDueAtOnce() {
        assertThatThrownBy(() -> event(1).deliverAt(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> event(1).deliverAfter(null)).isInstanceOf(NullPointerException.class);
    }

    static List<OutboxEvent> refused() {
        OutboxEvent event = event(1);
        return List.of(
                event.withKey("overdue"),
                event.keepExisting(),
                event.deliverAfter(HOUR).keepExisting(),
                event.deliverAfter(HOUR).withSequence(1),
                event.deliverAfter(HOUR).withEventId(new UUID(1, 1)),
                event.deliverAfter(HOUR).withKey(" "),
                OutboxEvent.unordered(new OrderPaid(1)).deliverAfter(HOUR),
                event.deliverAfter(HOUR.negated()),
                event.deliverAt(Instant.MAX));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void contradictionsAreRefused(OutboxEvent event) {
        assertThatThrownBy(() -> schedule(event)).isInstanceOf(InvalidEventException.class);

        assertThat(found()).isEmpty();
        assertThat(outbox.events()).isZero();
    }

    private void scheduleMany(int count) {
        outbox.inTransaction(() -> outbox.publisher()
                .publishAll(IntStream.range(0, count)
                        .mapToObj((number) -> event(number).deliverAfter(Duration.ZERO))
                        .toList()));
    }

    private static OutboxEvent event(int number) {
        return event("1", number);
    }

    private static OutboxEvent event(String aggregateId, int number) {
        return OutboxEvent.of("order", aggregateId, new OrderPaid(number));
    }

    private EventEnvelope schedule(OutboxEvent event) {
        return outbox.publish(event);
    }

    private boolean cancel(String aggregateId, String key) {
        return outbox.inTransaction(() -> outbox.publisher().cancel("order", aggregateId, key));
    }

    private List<ScheduledEvent> found() {
        return Operator.of(outbox).scheduled().find(null, null, 100);
    }

    private List<String> numbers() {
        return outbox.sql()
                .sql("SELECT payload ->> 'number' FROM events.outbox ORDER BY id")
                .query(String.class)
                .list();
    }

    private void due() {
        outbox.sql().sql("UPDATE events.outbox_scheduled SET due_at = now()").update();
    }

    private ScheduleMover mover() {
        return mover("default");
    }

    private ScheduleMover mover(String... streams) {
        return new ScheduleMover(outbox.dataSource(), OutboxSchema.DEFAULT, Set.of(streams), (stream, events) -> {});
    }

    private void run() {
        try {
            mover().runOnce();
        } catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }
}
