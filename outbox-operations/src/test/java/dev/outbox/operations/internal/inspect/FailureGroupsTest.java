package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.fixture.Operator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Failed deliveries by handler and error code. */
class FailureGroupsTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().withoutPolling();

    private final Lanes lanes = new Lanes(outbox);
    private OutboxInspector inspector;

    @BeforeEach
    void build() {
        inspector = Operator.of(outbox).inspector();
    }

    @Test
    void groupsAreOrderedByDeadLetters() {
        assertThat(inspector.failures()).isEmpty();

        List<EventEnvelope> first = outbox.publishOrders("1", 3);
        List<EventEnvelope> second = outbox.publishOrders("2", 3);
        List<EventEnvelope> third = outbox.publishOrders("3", 1);
        lanes.failed("mail", first.get(0));
        lanes.waiting("mail", first.get(1));
        lanes.waiting("mail", first.get(2));
        lanes.dead("audit", second.get(0));
        lanes.dead("audit", second.get(1));
        lanes.failed("audit", second.get(2));
        lanes.failed("mail", third.get(0));
        lanes.waiting("stock", third.get(0));
        code("TimeoutException", third.get(0));

        assertThat(inspector.failures())
                .extracting((group) -> group.handlerId() + " " + group.errorCode() + " " + group.dead() + " "
                        + group.retrying() + " " + group.waiting())
                .containsExactly("audit IOException 2 1 0", "mail IOException 0 1 2", "mail TimeoutException 0 1 2");
    }

    @Test
    void twentyThousandDeadLettersHaveOneCount() {
        lanes.registered("mail", "{}", "*");
        lanes.dead("mail", outbox.publishOrders("1", 1).get(0));
        outbox.update("""
                        INSERT INTO events.outbox_delivery
                        SELECT (jsonb_populate_record(d, jsonb_build_object('outbox_id', d.outbox_id + n))).*
                          FROM events.outbox_delivery d
                         CROSS JOIN generate_series(1, 19999) n
                        """);
        Count most = new Count(10_000, false);

        assertThat(inspector.failures()).extracting(FailureGroup::dead).containsExactly(most);
        assertThat(inspector.overview().streams())
                .extracting((stream) -> stream.backlog().dead())
                .containsExactly(most);
        assertThat(inspector.overview().handlers())
                .extracting((handler) -> handler.deliveries().dead())
                .containsExactly(most);
    }

    @Test
    void groupShowsItsOldestEventAndFirstFailure() {
        List<EventEnvelope> events = outbox.publishOrders("1", 3);
        // A replay failed.
        lanes.published(events.get(1));
        lanes.dead("mail", events.get(1));
        lanes.dead("mail", events.get(2));

        FailureGroup.First first = inspector.failures().get(0).first();
        assertThat(first.eventId()).isEqualTo(events.get(1).eventId());
        assertThat(first.eventType()).isEqualTo("OrderPlaced");
        assertThat(first.aggregateType() + "/" + first.aggregateId()).isEqualTo("order/1");
        assertThat(first.failure())
                .as("of a delivery without history")
                .returns(3, Delivery.FailedAttempt::attempt)
                .returns("IOException", Delivery.FailedAttempt::code)
                .returns("no route", Delivery.FailedAttempt::message);

        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET failures = '[{\"attempt\": 1, \"at\": \"2026-01-02T03:04:05Z\","
                        + " \"code\": \"SQLException\", \"message\": \"first\"}, {\"attempt\": 2, \"at\": \"2026-01-02T03:04:06Z\","
                        + " \"code\": \"IOException\", \"message\": \"first of its code\"}]' WHERE outbox_id = ?")
                .param(events.get(1).id())
                .update();
        assertThat(inspector.failures().get(0).first().failure().message()).isEqualTo("first of its code");
    }

    /** Names of error classes are the handlers' own, so their number has no limit. */
    @Test
    void atMostOneHundredGroupsAreReturned() {
        for (EventEnvelope event : outbox.publishOrders("1", 120)) {
            lanes.dead("mail", event);
            code("Error" + event.sequence(), event);
        }

        assertThat(inspector.failures()).hasSize(100);
    }

    private void code(String code, EventEnvelope event) {
        outbox.sql()
                .sql(
                        "UPDATE events.outbox_delivery SET last_error_code = ? WHERE outbox_id = ? AND last_error_code IS NOT NULL")
                .param(code)
                .param(event.id())
                .update();
    }
}
