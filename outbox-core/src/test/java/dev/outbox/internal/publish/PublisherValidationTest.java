package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.StatementCounter;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.util.RawValue;

class PublisherValidationTest {

    private static final TestOutbox OUTBOX = TestOutbox.create().publisher(new PublisherSettings(1000, Unrouted.WARN));

    record $Dollar() {}

    @EventType("Order Placed")
    record Spaced() {}

    record Text(String text) {}

    record Raw(@JsonRawValue String raw) {}

    @EventType(version = 0)
    record VersionZero() {}

    /** Refers to itself. */
    public static final class Cyclic {
        public List<Object> children = new ArrayList<>();
    }

    @AfterAll
    static void close() {
        OUTBOX.close();
    }

    static Stream<Arguments> invalidEvents() {
        Map<String, String> nullHeader = new HashMap<>();
        nullHeader.put("a", null);
        Cyclic cyclic = new Cyclic();
        cyclic.children.add(cyclic);
        OrderPlaced payload = new OrderPlaced(1);
        OutboxEvent valid = OutboxEvent.of("order", "1", payload);
        return Stream.of(
                invalid("missing aggregate type", OutboxEvent.of(missing(), "1", payload)),
                invalid("blank aggregate type", OutboxEvent.of(" ", "1", payload)),
                invalid("missing aggregate id", OutboxEvent.of("order", missing(), payload)),
                invalid("long aggregate id", OutboxEvent.of("order", "x".repeat(256), payload)),
                invalid("NUL in aggregate id", OutboxEvent.of("order", "a\0", payload)),
                invalid("surrogate in aggregate id", OutboxEvent.of("order", "a\uD800", payload)),
                invalid("missing payload", OutboxEvent.of("order", "1", missing())),
                invalid("type that begins with a dollar", OutboxEvent.of("order", "1", new $Dollar())),
                invalid("spaced type", OutboxEvent.of("order", "1", new Spaced())),
                invalid("type that begins with a digit", valid.withEventType("1order")),
                invalid("long type", valid.withEventType("A".repeat(256))),
                invalid("nameless class", OutboxEvent.of("order", "1", new Object() {})),
                invalid("map without type", OutboxEvent.of("order", "1", Map.of("a", 1))),
                invalid("text without type", OutboxEvent.of("order", "1", "text")),
                invalid("tree without type", OutboxEvent.of("order", "1", JsonNodeFactory.instance.objectNode())),
                invalid("version zero", OutboxEvent.of("order", "1", new VersionZero())),
                invalid("negative sequence", valid.withSequence(-1)),
                invalid("sequence beyond 2^62", valid.withSequence((1L << 62) + 1)),
                invalid("time before the year 1", valid.occurredAt(Instant.MIN)),
                invalid("time after the year 9999", valid.occurredAt(Instant.parse("+10000-01-01T00:00:00Z"))),
                invalid("blank stream", valid.inStream("")),
                invalid("unknown stream", valid.inStream("unknown")),
                invalid("NUL in payload", OutboxEvent.of("order", "1", new Text("\0"))),
                invalid("surrogate in payload", OutboxEvent.of("order", "1", new Text("\uDC00"))),
                invalid("NUL in header", valid.withHeader("h", "\0")),
                invalid("surrogate in header name", valid.withHeader("\uD800", "v")),
                invalid("null header name", valid.withHeader(missing(), "v")),
                invalid("large headers", valid.withHeader("h", "v".repeat(1000)), "max-payload-size"),
                invalid("schema version zero", valid.withSchemaVersion(0), "must be at least 1: 0"),
                invalid(
                        "origin as a header",
                        valid.withHeader(EventEnvelope.ORIGIN, "web"),
                        "reserved for events of other services"),
                invalid("blank origin", valid.withOrigin(" "), "origin must not be missing or blank"),
                invalid("two raw values", raw("{\"a\": 1} {}"), "no JSON"),
                invalid("NUL in a raw value", raw("{\"a\": \"\\u0000\"}"), "U+0000"),
                invalid("empty raw value", raw(""), "no JSON"),
                invalid("raw number of 2001 digits", raw("1e2000"), "a number"),
                invalid("no JSON", OutboxEvent.of("order", "1", new Raw("/"))),
                invalid("open JSON", OutboxEvent.of("order", "1", new Raw("[\"a"))),
                invalid("number of 1001 digits in jsonb", OutboxEvent.of("order", "1", new Raw("1E+1000"))),
                invalid(
                        "payload nested too deep to read",
                        OutboxEvent.of("order", "1", new Raw("[".repeat(500) + "]".repeat(500)))),
                invalid("null header", valid.withHeader("h", missing())),
                invalid("large payload", OutboxEvent.of("order", "1", new Text("é".repeat(500))), "max-payload-size"),
                invalid(
                        "cyclic payload",
                        OutboxEvent.of("order", "1", cyclic),
                        "refers to itself, through " + Cyclic.class.getName() + "; publish an id instead"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalidEvents")
    void refusesInvalidEventBeforeAnySql(String name, OutboxEvent event, String message) {
        StatementCounter statements = new StatementCounter(OUTBOX.dataSource());
        TransactionalOutboxPublisher publisher = statements.publisher(new PublisherSettings(1000, Unrouted.WARN));
        long before = OUTBOX.events();

        statements.inTransaction(() -> {
            assertThatThrownBy(() -> publisher.publish(event))
                    .isExactlyInstanceOf(InvalidEventException.class)
                    .hasMessageContaining(message)
                    .hasMessageNotContaining("null null");
            assertThatThrownBy(() ->
                            publisher.publishAll(List.of(OutboxEvent.of("order", "1", new OrderPlaced(1)), event)))
                    .isExactlyInstanceOf(InvalidEventException.class)
                    .hasMessageContaining(message);
            assertThat(statements.count()).isZero();
            publisher.publish("order", "usable", new OrderPlaced(1));
        });

        assertThat(OUTBOX.events()).isEqualTo(before + 1);
    }

    @Test
    void payloadOfTheLargestSizeIsStored() {
        String text = "x".repeat(1000 - "{\"text\":\"\"}".length());
        OUTBOX.publish("largest", new Text(text));
        assertThatThrownBy(() -> OUTBOX.publish("largest", new Text(text + "x")))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("1001")
                .hasMessageContaining("max-payload-size");
    }

    @Test
    void unroutedEventIsRefusedWhereItMustNotBe() {
        try (TestOutbox strict = TestOutbox.create()
                .publisher(new PublisherSettings(1000, Unrouted.FAIL))
                .handler("known", "OrderPaid", (envelope) -> {})) {
            assertThatThrownBy(() -> strict.publish("1", new OrderPlaced(1)))
                    .isInstanceOf(InvalidEventException.class)
                    .hasMessageContaining("no handler is registered for OrderPlaced");
            assertThat(strict.events()).isZero();
        }
    }

    private static OutboxEvent raw(String json) {
        return OutboxEvent.of("order", "1", new RawValue(json)).withEventType("OrderImported");
    }

    private static Arguments invalid(String name, OutboxEvent event) {
        return invalid(name, event, "");
    }

    private static Arguments invalid(String name, OutboxEvent event, String message) {
        return Arguments.of(name, event, message);
    }

    /** What a caller without null checks may pass. */
    @SuppressWarnings("NullAway")
    private static <T> T missing() {
        return null;
    }
}
