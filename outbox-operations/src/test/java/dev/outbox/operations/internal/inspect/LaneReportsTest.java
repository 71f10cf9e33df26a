package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.operations.Count;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.LaneReport.Cause;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the lanes of an aggregate wait for. */
class LaneReportsTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().withoutPolling();

    private final Lanes lanes = new Lanes(outbox);
    private OutboxInspector inspector;
    private List<EventEnvelope> events;

    @BeforeEach
    void build() throws SQLException {
        inspector = Operator.of(outbox).inspector();
        outbox.addStream("default");
        lanes.registered("mail", "{letter}", "*");
        events = outbox.publishOrders("42", 4);
        outbox.publishOrders("43", 2);
    }

    @Test
    void aggregateWithoutOpenEventsHasNoLane() {
        events.forEach(lanes::published);

        assertThat(inspector.lanes("order", "42")).isEmpty();
        assertThat(inspector.lanes("order", "unknown")).isEmpty();
    }

    @Test
    void eventsBeforeTheirFirstDeliveryHaveOneReport() {
        assertThat(inspector.lanes("order", "42"))
                .containsExactly(new LaneReport(
                        null,
                        "order",
                        "42",
                        Cause.PENDING,
                        null,
                        new LaneReport.Counts(Count.NONE, Count.NONE, new Count(4, true)),
                        LaneReport.Front.NONE));

        lanes.claimed(events.get(0), "1 minute");
        assertThat(cause()).isEqualTo(Cause.RUNNING);

        outbox.sql()
                .sql("UPDATE events.outbox_claim SET locked_until = now() - interval '1 s'")
                .update();
        assertThat(cause()).isEqualTo(Cause.LEASE_EXPIRED);

        pause("stream", "default");
        assertThat(cause()).isEqualTo(Cause.STREAM_PAUSED);
    }

    @Test
    void pendingEventSaysWhatIsInFront() {
        assertThat(lane("43").explanation())
                .isEqualTo("It awaits its first delivery behind 4 older events of its stream.");

        call("host:1", "stock", "default", "42", 4, "RUNNING");
        call("host:2", "stock", "other", "7", 9, "RUNNING");
        assertThat(lane("43").explanation())
                .isEqualTo(
                        "It awaits its first delivery behind 4 older events of its stream. host:1 has handled stock for 4 s.");
        assertThat(lane("43").remedy()).startsWith("Find out why stock takes so long.");

        call("host:3", "mail", "default", "41", 63, "STUCK");
        assertThat(lane("43").explanation()).endsWith(" host:3 has handled mail for 63 s.");
        assertThat(lane("43").remedy())
                .isEqualTo("Restart host:3 unless the call ends, and give the handler a timeout.");
        assertThat(lane("42").explanation())
                .isEqualTo(
                        "It awaits its first delivery and is the first in its stream. host:1 has handled stock for 4 s.");
    }

    @Test
    void laneInTheMiddleOfACallSaysHowLong() {
        lanes.failed("mail", events.get(0));
        lanes.locked("mail", events.get(0), "1 minute");
        call("host:1", "mail", "default", "42", 4, "RUNNING");
        call("host:2", "mail", "default", "7", 9, "RUNNING");

        assertThat(report().explanation())
                .isEqualTo(
                        "A worker has leased the lane and attempts its deliveries. host:1 has handled mail for 4 s.");
        assertThat(report().remedy()).isEqualTo(Cause.RUNNING.remedy());
        pause("stream", "default");
        assertThat(report().front()).isEqualTo(LaneReport.Front.NONE);
    }

    private LaneReport lane(String order) {
        return inspector.lanes("order", order).get(0);
    }

    private void call(String instance, String handler, String stream, String order, int seconds, String state) {
        outbox.sql()
                .sql("""
                        INSERT INTO events.outbox_instance (name, streams, open_circuits, activity)
                        VALUES (?, '{default}', '{}',
                                jsonb_build_object('calls', jsonb_build_array(jsonb_build_object(
                                    'handler', ?, 'stream', ?, 'event', gen_random_uuid(), 'eventType', 'OrderPlaced',
                                    'aggregateType', 'order', 'aggregateId', ?, 'millis', ? * 1000, 'state', ?))))
                        """)
                .params(instance, handler, stream, order, seconds, state)
                .update();
    }

    @Test
    void headThatFailedBacksOff() {
        lanes.failed("mail", events.get(0));
        lanes.waiting("mail", events.get(1));
        lanes.waiting("mail", events.get(2));

        LaneReport report = report();
        assertThat(report.cause()).isEqualTo(Cause.BACKING_OFF);
        assertThat(report.handlerId()).isEqualTo("mail");
        assertThat(report.head().event().id()).isEqualTo(events.get(0).id());
        assertThat(report.counts())
                .isEqualTo(new LaneReport.Counts(new Count(2, true), Count.NONE, new Count(1, true)));

        lanes.due();
        assertThat(cause()).isEqualTo(Cause.DUE);
        lanes.locked("mail", events.get(0), "1 minute");
        assertThat(cause()).isEqualTo(Cause.RUNNING);
        lanes.locked("mail", events.get(0), "-1 minute");
        assertThat(cause()).isEqualTo(Cause.LEASE_EXPIRED);
        pause("handler", "mail");
        assertThat(cause()).isEqualTo(Cause.HANDLER_PAUSED);
        pause("stream", "default");
        assertThat(cause()).isEqualTo(Cause.STREAM_PAUSED);
    }

    /** The claim holds the aggregate for another handler. */
    @Test
    void claimOfTheAggregateAttemptsNoHead() {
        lanes.failed("mail", events.get(0));
        lanes.claimed(events.get(1), "1 minute");

        assertThat(cause()).isEqualTo(Cause.BACKING_OFF);
    }

    @Test
    void deadHeadBlocksItsLane() {
        lanes.blocking("mail", events.get(0));
        lanes.waiting("mail", events.get(1));

        assertThat(cause()).isEqualTo(Cause.BLOCKED_BY_DEAD_LETTER);
        assertThat(report().counts())
                .isEqualTo(new LaneReport.Counts(new Count(1, true), new Count(1, true), new Count(2, true)));
    }

    @Test
    void handlerWithoutInstanceIsAbsent() {
        lanes.failed("mail", events.get(0));
        lanes.failed("unknown", events.get(0));
        lanes.failed("letter", events.get(0));

        assertThat(inspector.lanes("order", "42"))
                .extracting((report) -> report.handlerId() + " " + report.cause())
                .containsExactly("letter BACKING_OFF", "mail BACKING_OFF", "unknown HANDLER_ABSENT");

        outbox.sql()
                .sql("UPDATE events.outbox_handler SET last_seen_at = now() - interval '4 min'")
                .update();
        assertThat(inspector.lanes("order", "42")).extracting(LaneReport::cause).containsOnly(Cause.HANDLER_ABSENT);
    }

    @Test
    void openCircuitCountsWhileItsInstanceLives() {
        lanes.failed("mail", events.get(0));
        outbox.sql()
                .sql(
                        "INSERT INTO events.outbox_instance (name, streams, open_circuits) VALUES ('host:1', '{default}', '{mail}')")
                .update();
        assertThat(cause()).isEqualTo(Cause.CIRCUIT_OPEN);
        assertThat(inspector.overview().handlers().get(0).circuitOpenIn()).containsExactly("host:1");

        outbox.sql()
                .sql("UPDATE events.outbox_instance SET last_seen_at = now() - interval '2 min'")
                .update();
        assertThat(cause()).isEqualTo(Cause.BACKING_OFF);
        assertThat(inspector.overview().handlers().get(0).circuitOpenIn()).isEmpty();
        assertThat(inspector.overview().instances()).hasSize(1);
    }

    @Test
    void deadLettersThatBlockNothingAreReported() {
        lanes.dead("mail", events.get(0));
        events.subList(1, 4).forEach(lanes::published);

        LaneReport report = report();
        assertThat(report.cause()).isEqualTo(Cause.DEAD_LETTERS_ONLY);
        assertThat(report.head()).isNull();
        assertThat(report.counts()).isEqualTo(new LaneReport.Counts(Count.NONE, new Count(1, true), Count.NONE));

        outbox.publishOrders("42", 1);
        assertThat(cause()).isEqualTo(Cause.PENDING);
        assertThat(report().handlerId()).isEqualTo("mail");
    }

    private LaneReport report() {
        List<LaneReport> reports = inspector.lanes("order", "42");
        assertThat(reports).hasSize(1);
        return reports.get(0);
    }

    private Cause cause() {
        return report().cause();
    }

    private void pause(String kind, String name) {
        boolean changed = kind.equals("stream")
                ? Operator.of(outbox).operations().pauseStream(name, "ann", "to see")
                : Operator.of(outbox).operations().pauseHandler(name, "ann", "to see");
        assertThat(changed).isTrue();
    }
}
