package dev.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxException;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

/** The content of payloads and headers reaches no log, no stored error and no message of the publisher. */
class PayloadsStaySecretTest {

    private static final String SECRET = "4111X1111Z1111";

    record Charge(String card, Map<String, Object> note) {}

    record Raw(@JsonRawValue String raw) {}

    private static final Charge CHARGE = new Charge(SECRET, Map.of(SECRET, Map.of("card", SECRET)));

    @Test
    void keepsPayloadsOutOfLogsAndErrors() {
        AtomicInteger handled = new AtomicInteger();
        try (CapturedLog log = new CapturedLog();
                TestOutbox outbox = TestOutbox.create()
                        .publisher(new PublisherSettings(2_000, Unrouted.WARN))
                        .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 2))) {
            Set<String> leaking = LeakingHandlers.addTo(outbox, "Charge");
            outbox.handler("accepts", "*", (envelope) -> handled.incrementAndGet());
            outbox.sql().sql("""
                    ALTER TABLE events.outbox_unpublished ADD CHECK (event_type <> 'Forbidden');
                    ALTER TABLE events.outbox_published ADD CHECK (event_type <> 'Unsettled')
                    """).update();
            outbox.start();

            refuseToPublish(outbox);
            publish(outbox, "Charge");
            publish(outbox, "Unsettled");
            publish(outbox, "Plain");
            await().atMost(Duration.ofSeconds(30)).until(() -> outbox.deadDeliveries() == leaking.size() + 1);
            assertThat(errors(outbox)).contains("JSON error at", "violates check constraint", "SETTLEMENT_REFUSED");
            operate(outbox, handled);

            assertThat(log.lines())
                    .anyMatch((line) -> line.contains("gave up on"))
                    .anyMatch((line) -> line.contains("refused to store the outcome"))
                    .anyMatch((line) -> line.contains("violates check constraint"))
                    .anyMatch((line) -> line.contains("Replay"))
                    .noneMatch((line) -> line.contains(SECRET));
            assertThat(errors(outbox)).doesNotContain(SECRET);
        }
    }

    private static void publish(TestOutbox outbox, String type) {
        OutboxEvent event = OutboxEvent.of("card", type, CHARGE)
                .withEventType(type)
                .withHeader("note", SECRET)
                .withHeader(SECRET, SECRET);
        outbox.publish(event);
    }

    private static void refuseToPublish(TestOutbox outbox) {
        OutboxEvent valid = OutboxEvent.of("card", "1", CHARGE).withHeader("note", SECRET);
        Map<String, Object> cyclic = new HashMap<>(Map.of("card", SECRET));
        cyclic.put("self", cyclic);
        List<Object> payloads = List.of(
                new Charge(SECRET + "\0", Map.of()),
                new Charge(SECRET + "\uD800", Map.of()),
                new Charge(SECRET.repeat(500), Map.of()),
                new Raw("{" + SECRET),
                new Raw("1E+9999"),
                new Raw("[".repeat(600)),
                new HostileEvents.Failing(SECRET),
                cyclic);
        List<OutboxEvent> refused = new ArrayList<>(payloads.stream()
                .map((payload) -> OutboxEvent.of("card", "1", payload).withEventType("Charge"))
                .toList());
        refused.add(OutboxEvent.of("", "1", CHARGE));
        refused.add(valid.withHeader("note", SECRET + "\0"));
        refused.add(valid.withHeader("note", SECRET.repeat(500)));
        refused.add(valid.withHeader(SECRET, null));
        refused.add(valid.inStream("unknown"));
        refused.add(valid.withEventType("not a type"));
        refused.add(valid.withSequence(-1));
        for (OutboxEvent event : refused) {
            assertThat(catchThrowable(() -> outbox.publish(event)))
                    .isInstanceOf(OutboxException.class)
                    .hasMessageNotContaining(SECRET);
        }
        UUID id = UUID.randomUUID();
        for (OutboxEvent event : List.of(
                valid.withEventType("Forbidden"),
                valid.withEventType("Forbidden").withEventId(id))) {
            Throwable refusal = catchThrowable(() -> outbox.publish(event));
            assertThat(refusal).isInstanceOf(DataIntegrityViolationException.class);
            StringWriter printed = new StringWriter();
            refusal.printStackTrace(new PrintWriter(printed));
            assertThat(printed.toString()).contains("violates check constraint").doesNotContain(SECRET);
        }
    }

    private static void operate(TestOutbox outbox, AtomicInteger handled) {
        OutboxOperations operations = Operator.of(outbox).operations();
        String reason = "curl -H 'Authorization: Bearer " + SECRET + "'";
        DeliverySelection failed = DeliverySelection.all().ofEventType("Charge");
        operations.retry(failed.ofHandler("row"), "operator", reason);
        await().until(() ->
                operations.count(failed.withStatus(DeliveryStatus.DEAD)).value() == 8);
        operations.skip(failed.ofHandler("value"), "operator", reason);
        operations.pauseHandler("accepts", "operator", reason);
        operations.resumeHandler("accepts", "operator", reason);
        int before = handled.get();
        Operator.of(outbox).replays().start(ReplayRequest.of("accepts").eventTypes("Plain"), "operator", reason);
        await().until(() -> handled.get() > before);
        assertThat(operations.operations(OperationSelection.all(), 100))
                .isNotEmpty()
                .allMatch((operation) -> operation.reason().endsWith("curl -H 'Authorization: ***"));
    }

    private static String errors(TestOutbox outbox) {
        return String.join("\n", outbox.sql().sql("""
                SELECT concat_ws(' ', last_error_code, last_error, failures) FROM events.outbox
                UNION ALL
                SELECT concat_ws(' ', last_error_code, last_error, failures) FROM events.outbox_delivery
                UNION ALL
                SELECT to_jsonb(p)::text FROM events.outbox_operation p
                UNION ALL
                SELECT to_jsonb(r)::text FROM events.outbox_replay r
                """).query(String.class).list());
    }
}
