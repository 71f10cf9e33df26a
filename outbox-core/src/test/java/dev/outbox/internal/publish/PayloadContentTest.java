package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.TestOutbox;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.databind.node.JsonNodeFactory;

/** Objects whose content the mapper would lose are refused wherever they are in a payload, and nothing else is. */
class PayloadContentTest {

    private static TestOutbox outbox;

    interface Price {
        long amount();
    }

    /** Has accessors that Jackson takes for getters only in a record. */
    static class Money implements Price {
        private final long amount = 990;

        @Override
        public long amount() {
            return amount;
        }
    }

    static final class SpecialMoney extends Money {}

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    static final class Annotated {
        private final long amount = 990;

        @Override
        public String toString() {
            return "" + amount;
        }
    }

    record Placed(String id, Money price) {}

    record Listed(List<Money> prices) {}

    record Mapped(Map<String, Money> prices) {}

    record Nested(Placed placed) {}

    record Sometimes(Optional<Money> price) {}

    record Several(Money[] prices) {}

    record Box<T>(T content) {}

    record Declared(Price price) {}

    record Untyped(Object price) {}

    record Stream(InputStream in) {}

    record Omitting(
            @JsonInclude(JsonInclude.Include.NON_EMPTY) Money price) {}

    record Unwrapping(@JsonUnwrapped Money price) {}

    record Typed(
            @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME) Price price) {}

    record WithAnnotated(Annotated price) {}

    static final class Open {

        @JsonAnyGetter
        public Map<String, Object> fields() {
            return Map.of("price", new Money());
        }
    }

    static final List<Arguments> LOST = List.of(
            lost(new Money(), ""),
            lost(new Placed("1", new Money()), "Placed[\"price\"]"),
            lost(new Listed(List.of(new Money())), "Listed[\"prices\"]"),
            lost(new Mapped(Map.of("secret", new Money())), "Mapped[\"prices\"]"),
            lost(new Nested(new Placed("1", new Money())), "Nested[\"placed\"]"),
            lost(new Sometimes(Optional.of(new Money())), "Sometimes[\"price\"]"),
            lost(new Several(new Money[] {new Money()}), "Several[\"prices\"]"),
            lost(new Box<>(new Money()), "Box[\"content\"]"),
            lost(new Declared(new Money()), "Declared[\"price\"]"),
            lost(new Untyped(new Money()), "Untyped[\"price\"]"),
            lost(new Omitting(new Money()), "Omitting[\"price\"]"),
            lost(new Unwrapping(new Money()), ""),
            lost(new Typed(new Money()), "Typed[\"price\"]"),
            lost(new Open(), ""),
            Arguments.of(new Box<>(new SpecialMoney()), SpecialMoney.class, "Box[\"content\"]"),
            Arguments.of(new WithAnnotated(new Annotated()), Annotated.class, "WithAnnotated[\"price\"]"),
            Arguments.of(
                    new Stream(new ByteArrayInputStream(new byte[] {1})),
                    ByteArrayInputStream.class,
                    "Stream[\"in\"]"));

    record CacheCleared() {}

    /** Holds nothing, like an object of Kotlin. */
    static final class Marker {}

    record Text(@JsonValue String value) {}

    static final class WithValue {
        private final String value = "990 EUR";

        @JsonValue
        String text() {
            return value;
        }
    }

    static final class Nothing {

        @JsonAnyGetter
        public Map<String, String> fields() {
            return Map.of();
        }
    }

    static final class Bean {
        private final long amount = 990;

        public long getAmount() {
            return amount;
        }
    }

    record Inner(@JsonUnwrapped Placed placed, int count) {}

    record OnlyIgnored(@JsonIgnore Money price) {}

    enum Color {
        RED {
            @Override
            public String toString() {
                return "ruby";
            }
        }
    }

    static final List<Arguments> KEPT = List.of(
            kept(new CacheCleared(), "{}"),
            kept(new Box<>(new CacheCleared()), "{\"content\":{}}"),
            kept(new Box<>(new Marker()), "{\"content\":{}}"),
            kept(new Marker(), "{}"),
            kept(new Nothing(), "{}"),
            kept(new Bean(), "{\"amount\":990}"),
            kept(new Box<>(Map.of()), "{\"content\":{}}"),
            kept(new Box<>(List.of()), "{\"content\":[]}"),
            kept(new Box<>(Optional.empty()), "{\"content\":null}"),
            kept(new Box<>(Color.RED), "{\"content\":\"RED\"}"),
            kept(new Box<>(TimeUnit.SECONDS), "{\"content\":\"SECONDS\"}"),
            kept(new Box<>(JsonNodeFactory.instance.objectNode()), "{\"content\":{}}"),
            kept(new Box<>(new Text("a")), "{\"content\":\"a\"}"),
            kept(new Box<>(new WithValue()), "{\"content\":\"990 EUR\"}"),
            kept(new Box<>(new Nothing()), "{\"content\":{}}"),
            kept(new Box<>(Map.entry("a", 1)), "{\"content\":{\"a\":1}}"),
            kept(new Inner(new Placed("1", null), 2), "{\"id\":\"1\",\"price\":null,\"count\":2}"),
            kept(new Placed("1", null), "{\"id\":\"1\",\"price\":null}"),
            kept(new Box<>(new OnlyIgnored(new Money())), "{\"content\":{}}"),
            kept(new OnlyIgnored(new Money()), "{}"));

    @BeforeAll
    static void start() {
        outbox = TestOutbox.create();
    }

    @AfterAll
    static void close() {
        outbox.close();
    }

    @ParameterizedTest
    @FieldSource("LOST")
    void objectWithoutReadablePropertyIsRefused(Object payload, Class<?> type, String path) {
        assertThatThrownBy(() -> publish(payload))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContainingAll(
                        type.getName() + " has no property that Jackson can read", "record", "getters", path)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @FieldSource("KEPT")
    void emptyContentIsStored(Object payload, String json) {
        assertThat(publish(payload)).isEqualTo(json);
    }

    private static String publish(Object payload) {
        return outbox.inTransaction(() -> outbox.publisher()
                .publish(OutboxEvent.of("order", "1", payload).withEventType("Placed"))
                .payload());
    }

    private static Arguments lost(Object payload, String path) {
        return Arguments.of(payload, Money.class, path);
    }

    private static Arguments kept(Object payload, String json) {
        return Arguments.of(payload, json);
    }
}
