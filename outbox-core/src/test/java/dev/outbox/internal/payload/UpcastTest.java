package dev.outbox.internal.payload;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.EventUpcaster;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.runtime.OutboxDependencies.Extensions;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Events of older and of newer versions than the class of their handler. */
class UpcastTest {

    @EventType(version = 3)
    record Invoiced(BigDecimal total, String currency, String customer) {}

    private static final EventUpcaster ADD_CURRENCY =
            EventUpcaster.of("Invoiced", 1, 2, (json) -> json.put("currency", "EUR"));
    private static final EventUpcaster RENAME_AMOUNT = EventUpcaster.of("Invoiced", 2, 3, (json) -> {
        json.set("total", json.remove("amount"));
        return json;
    });
    private static final Map<String, Object> FIRST =
            Map.of("amount", new BigDecimal("12345678901234567890.10"), "customer", "Ada");
    private static final Invoiced UPCAST = new Invoiced(new BigDecimal("12345678901234567890.10"), "EUR", "Ada");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<Object> handled = new CopyOnWriteArrayList<>();

    @Test
    void olderVersionsReachTheHandlerInTheVersionOfItsClass() {
        upcasters(RENAME_AMOUNT, ADD_CURRENCY).handler(typed()).start();

        publish(1, FIRST);
        publish(2, Map.of("amount", 2, "currency", "USD", "customer", "Ada"));
        EventEnvelope last = publish(3, Map.of("total", 3, "currency", "CHF", "customer", "Ada"));

        assertThat(outbox.event(last)).becomesPublished();
        assertThat(handled)
                .containsExactly(
                        UPCAST,
                        new Invoiced(new BigDecimal(2), "USD", "Ada"),
                        new Invoiced(new BigDecimal(3), "CHF", "Ada"));
    }

    @Test
    void storedRowAndEnvelopeStayAsPublished() {
        upcasters(ADD_CURRENCY, RENAME_AMOUNT)
                .handler(HandlerDefinition.of("typed", Invoiced.class, (event, envelope) -> handled.add(envelope)))
                .handler("raw", "Invoiced", handled::add);

        EventEnvelope event = publish(1, FIRST);
        Map<String, Object> stored = row(event);
        outbox.start();

        assertThat(outbox.event(event)).becomesPublished();
        assertThat(row(event)).isEqualTo(stored).containsEntry("schema_version", 1);
        assertThat(handled)
                .hasSize(2)
                .allSatisfy((seen) -> assertThat((EventEnvelope) seen)
                        .returns(1, EventEnvelope::schemaVersion)
                        .returns(String.valueOf(stored.get("payload")), EventEnvelope::payload));
    }

    @Test
    void treesAreInTheNewestVersionAndBatchesInThatOfTheirClass() {
        upcasters(ADD_CURRENCY, RENAME_AMOUNT)
                .handler(HandlerDefinition.of(
                        "tree",
                        Set.of("*"),
                        JsonNode.class,
                        (json, envelope) -> handled.add(json.get("total").decimalValue() + " "
                                + json.get("currency").asString())))
                .handler(HandlerDefinition.<Invoiced>ofBatch(
                        "batch", Set.of(), Invoiced.class, (batch, events, outcome, context) -> handled.addAll(batch)))
                .start();

        EventEnvelope event = publish(1, FIRST);

        assertThat(outbox.event(event)).becomesPublished();
        assertThat(handled).containsExactlyInAnyOrder("12345678901234567890.10 EUR", UPCAST);
    }

    @Test
    void redeliveredEventsAreUpcast() {
        upcasters(ADD_CURRENCY, RENAME_AMOUNT).handler(typed()).start();
        EventEnvelope event = publish(1, FIRST);
        assertThat(outbox.event(event)).becomesPublished();

        new Lanes(outbox).waiting("typed", event);

        await().untilAsserted(() -> assertThat(handled).containsExactly(UPCAST, UPCAST));
    }

    @Test
    void newerVersionIsADeadLetterAtOnceForItsClassOnly() {
        outbox.handler(typed())
                .handler("raw", "Invoiced", (envelope) -> handled.add(envelope.schemaVersion()))
                .retry(TestOutbox.AT_ONCE)
                .start();

        EventEnvelope event = publish(4, Map.of("secret", 1));

        assertThat(outbox.event(event)).becomesDead();
        assertThat(outbox.event(event))
                .hasDelivery("typed")
                .isDead()
                .afterFailures(1)
                .withErrorCode("NEWER_VERSION")
                .withError(
                        "the event has version 4 of Invoiced, this application knows 3: deploy the class of version 4 in"
                                + " every instance; retry afterwards");
        assertThat(handled).containsExactly(4);
    }

    @Test
    void newerVersionInABatchLeavesTheOthersAlone() {
        outbox.handler(HandlerDefinition.<Invoiced>ofBatch(
                "batch", Set.of(), Invoiced.class, (batch, events, outcome, context) -> handled.addAll(batch)));
        EventEnvelope newer = publish("1", 4, Map.of());
        EventEnvelope known = publish("2", 3, Map.of("total", 3, "currency", "CHF", "customer", "Ada"));
        outbox.start();

        assertThat(outbox.event(known)).becomesPublished();
        assertThat(outbox.event(newer)).becomesDead();
        assertThat(outbox.event(newer)).hasDelivery("batch").withErrorCode("NEWER_VERSION");
        assertThat(handled).containsExactly(new Invoiced(new BigDecimal(3), "CHF", "Ada"));
    }

    @Test
    void versionBeforeTheChainIsADeadLetter() {
        upcasters(RENAME_AMOUNT).handler(typed()).retry(TestOutbox.AT_ONCE).start();

        EventEnvelope event = publish(1, FIRST);

        assertThat(outbox.event(event)).becomesDead();
        assertThat(outbox.event(event))
                .hasDelivery("typed")
                .withErrorCode("MISSING_UPCASTER")
                .withError(
                        "the event has version 1 of Invoiced, and no EventUpcaster leads from it to version 3: add one;"
                                + " retry afterwards");
    }

    @Test
    void olderShapeOfATypeWithoutUpcastersNamesBothVersions() {
        outbox.handler(typed()).retry(TestOutbox.AT_ONCE).start();

        EventEnvelope event = publish(1, FIRST);

        assertThat(outbox.event(event)).becomesDead();
        assertThat(outbox.event(event))
                .hasDelivery("typed")
                .withErrorCode("MISSING_UPCASTER")
                .withError(
                        "the event has version 1 of Invoiced, and no EventUpcaster leads from it to version 3: add one;"
                                + " retry afterwards. Without one, a field looks renamed: the payload lacks 'total', 'currency' of "
                                + Invoiced.class.getName() + " and has 'amount', which the class does not know; put"
                                + " @JsonAlias(\"amount\") on the component if it was renamed, or"
                                + " @JsonIgnoreProperties(\"amount\") on the class if it is another field; then retry");
    }

    @Test
    void failureOfAnUpcasterIsAFailedAttempt() {
        AtomicInteger attempts = new AtomicInteger();
        upcasters(EventUpcaster.of("Invoiced", 1, 3, (json) -> {
                    if (attempts.incrementAndGet() < 3) {
                        throw new IllegalStateException("on purpose");
                    }
                    return json.put("total", 1).put("currency", "EUR");
                }))
                .handler(typed())
                .retry(TestOutbox.AT_ONCE)
                .start();

        EventEnvelope event = publish(1, FIRST);

        assertThat(outbox.event(event)).becomesPublished();
        assertThat(attempts).hasValue(3);
    }

    @Test
    void withoutUpcastersOneClassReadsAllOlderVersions() {
        outbox.handler(typed()).start();

        EventEnvelope event = publish(1, Map.of("total", 1, "currency", "EUR", "customer", "Ada"));

        assertThat(outbox.event(event)).becomesPublished();
        assertThat(handled).containsExactly(new Invoiced(BigDecimal.ONE, "EUR", "Ada"));
    }

    @Test
    void invalidChainFailsTheStart() {
        assertRefused("start at the same version", ADD_CURRENCY, step(1, 2), RENAME_AMOUNT);
        assertRefused("overlap", step(1, 3), RENAME_AMOUNT);
        assertRefused("add an EventUpcaster from version 2 to 3", ADD_CURRENCY, step(3, 4));
        assertRefused("add an EventUpcaster from version 2 to 3", ADD_CURRENCY);
        assertRefused("set @EventType(version = 4) on the class", ADD_CURRENCY, RENAME_AMOUNT, step(3, 4));
        assertThatThrownBy(() -> step(2, 2)).hasMessageContaining("does not lead to a newer version");
        assertThatThrownBy(() -> step(0, 1)).hasMessageContaining("does not lead to a newer version");
        assertThatThrownBy(() -> EventUpcaster.of("Order Placed", 1, 2, (json) -> json))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("invalid event type");
    }

    private static void assertRefused(String message, EventUpcaster... upcasters) {
        try (TestOutbox refused = TestOutbox.create()) {
            refused.extensions(extensions(upcasters))
                    .handler(HandlerDefinition.of("typed", Invoiced.class, (event, envelope) -> {}));
            assertThatThrownBy(refused::start)
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining(message);
        }
    }

    private static EventUpcaster step(int from, int to) {
        return EventUpcaster.of("Invoiced", from, to, (json) -> json);
    }

    private TestOutbox upcasters(EventUpcaster... upcasters) {
        return outbox.extensions(extensions(upcasters));
    }

    private static Extensions extensions(EventUpcaster... upcasters) {
        return new Extensions(Stream::empty, Stream::empty, Stream::empty, () -> Stream.of(upcasters));
    }

    private HandlerDefinition typed() {
        return HandlerDefinition.of("typed", Invoiced.class, (event, envelope) -> handled.add(event));
    }

    private EventEnvelope publish(int version, Map<String, Object> payload) {
        return publish("1", version, payload);
    }

    private EventEnvelope publish(String aggregateId, int version, Map<String, Object> payload) {
        return outbox.publish(OutboxEvent.of("invoice", aggregateId, payload)
                .withEventType("Invoiced")
                .withSchemaVersion(version));
    }

    private Map<String, Object> row(EventEnvelope event) {
        return outbox.sql()
                .sql("SELECT schema_version, payload::text AS payload, event_type FROM events.outbox WHERE id = ?")
                .param(event.id())
                .query()
                .singleRow();
    }
}
