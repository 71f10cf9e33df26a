package dev.outbox.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonMerge;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.PayloadFormat;
import dev.outbox.fixture.TestOutbox;
import java.io.Serializable;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonPOJOBuilder;

class UnreadableTypesTest {

    sealed interface Shape permits Circle, Square {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    interface Named {
        String name();
    }

    abstract static class Base {
        public int number;
    }

    record Key(String shop, String id) {}

    /** As Lombok's @Value with @Builder leaves a class, and Kotlin one with a value class. */
    static final class Built {
        private final String id;

        private Built(String id, int number) {
            this.id = id + number;
        }

        public String getId() {
            return id;
        }
    }

    @com.fasterxml.jackson.databind.annotation.JsonDeserialize(builder = BuiltForJackson2.Builder.class)
    static final class BuiltForJackson2 {
        private final String id;

        private BuiltForJackson2(Builder builder) {
            this.id = builder.id;
        }

        public String getId() {
            return id;
        }

        static final class Builder {
            private String id;
        }
    }

    @SuppressWarnings("ClassCanBeStatic") // the mistake
    class Inner {
        public String id;
    }

    record Drawn(Shape shape) {}

    record WithNamed(Named named) {}

    record WithBase(Base base) {}

    record Listed(List<Shape> shapes) {}

    record Mapped(Map<String, Shape> shapes) {}

    record Sometimes(Optional<Shape> shape) {}

    record Referring(AtomicReference<Shape> shape) {}

    record Several(Shape[] shapes) {}

    record Nested(Drawn drawn) {}

    record Deep(List<Map<String, Optional<Drawn>>> drawn) {}

    record Box<T>(T content) {}

    record Boxed(Box<Shape> box) {}

    record Keyed(Map<Key, String> values) {}

    record WithInner(List<Inner> inner) {}

    record WithBuilt(Built built) {}

    static final List<Arguments> UNREADABLE = List.of(
            unreadable(Drawn.class, "Drawn.shape: ", "abstract types"),
            unreadable(WithNamed.class, "WithNamed.named: ", "abstract types"),
            unreadable(WithBase.class, "WithBase.base: ", "abstract types"),
            unreadable(Listed.class, "Listed.shapes[]: ", "abstract types"),
            unreadable(Mapped.class, "Mapped.shapes[]: ", "abstract types"),
            unreadable(Sometimes.class, "Sometimes.shape: ", "abstract types"),
            unreadable(Referring.class, "Referring.shape: ", "abstract types"),
            unreadable(Several.class, "Several.shapes[]: ", "abstract types"),
            unreadable(Nested.class, "Nested.drawn.shape: ", "abstract types"),
            unreadable(Deep.class, "Deep.drawn[][].shape: ", "abstract types"),
            unreadable(Boxed.class, "Boxed.box.content: ", "abstract types"),
            unreadable(Keyed.class, "Keyed", "Key deserializer"),
            unreadable(Inner.class, "Inner: ", "non-static inner classes"),
            unreadable(WithInner.class, "WithInner.inner[]: ", "non-static inner classes"),
            unreadable(Built.class, "Built: ", "no Creators"),
            unreadable(WithBuilt.class, "WithBuilt.built: ", "no Creators"),
            unreadable(BuiltForJackson2.class, "BuiltForJackson2: ", "[JsonDeserialize]"));

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    sealed interface Typed permits TypedCircle {}

    record TypedCircle(int radius) implements Typed {}

    record WithTyped(Typed typed, List<Typed> list, Map<String, Typed> map, Optional<Typed> optional, Typed[] array) {}

    record TypedHere(
            @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME) Shape shape,
            @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME) List<Shape> shapes,
            @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME) Optional<Shape> sometimes) {}

    record Chosen(
            @JsonDeserialize(as = Circle.class) Shape shape,
            @JsonDeserialize(contentAs = Circle.class) List<Shape> shapes,
            @JsonDeserialize(contentAs = Circle.class) Optional<Shape> sometimes) {}

    record Ordinary(
            Object any,
            Number number,
            CharSequence text,
            Serializable serializable,
            JsonNode node,
            Map<UUID, BigDecimal> amounts,
            Map<DayOfWeek, Instant> days,
            EnumMap<DayOfWeek, String> enumMap,
            EnumSet<DayOfWeek> enumSet,
            Map.Entry<String, Integer> entry,
            Iterable<String> names,
            byte[] bytes,
            int[] numbers,
            String[] texts) {}

    record Text(@JsonValue String value) {
        @JsonCreator
        Text {}
    }

    record TextKeyed(Map<Text, String> values) {}

    static final class Factory {
        private final String id;

        private Factory(String id) {
            this.id = id;
        }

        @JsonCreator
        static Factory of(@JsonProperty("id") String id) {
            return new Factory(id);
        }

        public String getId() {
            return id;
        }
    }

    @JsonDeserialize(builder = BuiltForJackson3.Builder.class)
    record BuiltForJackson3(String id) {

        @JsonPOJOBuilder(withPrefix = "")
        static final class Builder {
            private String id;

            Builder id(String given) {
                this.id = given;
                return this;
            }

            BuiltForJackson3 build() {
                return new BuiltForJackson3(id);
            }
        }
    }

    record Tree(String name, List<Tree> children, @Nullable Tree parent) {}

    record Ignoring(String id, @JsonIgnore @Nullable Shape shape) {}

    record ReadOnly(
            String id,

            @JsonProperty(access = JsonProperty.Access.READ_ONLY) @Nullable
            Shape shape) {}

    static final class Bean {
        private String id;

        @JsonMerge
        private Shape shape = new Circle(1);

        @JsonAnySetter
        private Map<String, Object> others = new HashMap<>();

        public String getId() {
            return id;
        }

        public void setId(String given) {
            this.id = given;
        }

        public Shape getShape() {
            return shape;
        }

        public Map<String, Object> others() {
            return others;
        }
    }

    record Empty() {}

    public static final class Outer {
        public InnerOfOuter inner;

        @SuppressWarnings("ClassCanBeStatic") // Jackson creates it in its outer object
        public class InnerOfOuter {
            public String id;
        }
    }

    static final List<Class<?>> READABLE = List.of(
            WithTyped.class,
            TypedHere.class,
            Chosen.class,
            Ordinary.class,
            TextKeyed.class,
            Factory.class,
            BuiltForJackson3.class,
            Tree.class,
            Ignoring.class,
            ReadOnly.class,
            Bean.class,
            Empty.class,
            Outer.class,
            Circle.class,
            DayOfWeek.class,
            String.class,
            List.class,
            Map.class,
            Object.class);

    private final UnreadableTypes types = new UnreadableTypes(PayloadFormat.mapper());

    @ParameterizedTest
    @FieldSource("UNREADABLE")
    void typeThatJacksonNeverReadsIsNamed(Class<?> type, String place, String reason) {
        assertThat(types.in(type)).contains(place).contains(reason);
    }

    @ParameterizedTest
    @FieldSource("READABLE")
    void readableTypeIsAccepted(Class<?> type) {
        assertThat(types.in(type)).isNull();
    }

    @Test
    void handlerOfUnreadableClassStopsTheStart() {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.handler(HandlerDefinition.of("drawings", DrawingEvent.class, (event, envelope) -> {}));

            assertThatThrownBy(outbox::start).isInstanceOfSatisfying(OutboxConfigurationException.class, (ex) -> {
                assertThat(ex.problem())
                        .startsWith("handler 'drawings' takes " + DrawingSaved.class.getName()
                                + ", which can be stored and never read")
                        .contains(
                                DrawingSaved.class.getName() + ".shapes[]: Cannot construct instance",
                                "abstract types");
                assertThat(ex.remedy()).contains("@JsonTypeInfo");
            });
        }
    }

    sealed interface DrawingEvent permits DrawingDeleted, DrawingSaved {}

    record DrawingDeleted(String id) implements DrawingEvent {}

    record DrawingSaved(List<Shape> shapes) implements DrawingEvent {}

    enum State {
        FRESH,
        OLD
    }

    record Counted(int count, boolean last) {}

    record Stated(State state) {}

    record States(List<State> states) {}

    static final List<Arguments> REASONS = List.of(
            Arguments.of(
                    "{\"last\": true}", Counted.class, "Counted[\"count\"]", "is missing or null, which int cannot be"),
            Arguments.of(
                    "{\"count\": null, \"last\": true}", Counted.class, "Counted[\"count\"]", "which int cannot be"),
            Arguments.of("{\"count\": 1}", Counted.class, "Counted[\"last\"]", "which boolean cannot be"),
            Arguments.of(
                    "{\"count\": \"secret\", \"last\": true}",
                    Counted.class,
                    "Counted[\"count\"]",
                    "InvalidFormatException, where int is expected"),
            Arguments.of(
                    "{\"state\": \"secret\"}",
                    Stated.class,
                    "Stated[\"state\"]",
                    "no constant of " + State.class.getName() + ", which has FRESH, OLD"),
            Arguments.of("{\"states\": [\"secret\"]}", States.class, "States[\"states\"]", "which has FRESH, OLD"),
            Arguments.of("{\"shape\": \"secret\"}", Drawn.class, "Drawn[\"shape\"]", "abstract types"),
            Arguments.of("{\"built\": \"secret\"}", WithBuilt.class, "WithBuilt[\"built\"]", "no Creators"));

    @ParameterizedTest
    @FieldSource("REASONS")
    void reasonNamesTheClassAndNoData(String json, Class<?> type, String place, String reason) {
        PayloadReader reader = new PayloadReader(PayloadFormat.mapper(), List.of());

        assertThatThrownBy(() -> reader.read(json, type))
                .isInstanceOf(UndecodableException.class)
                .hasMessageContainingAll(place, reason)
                .hasMessageNotContaining("secret");
    }

    private static Arguments unreadable(Class<?> type, String place, String reason) {
        return Arguments.of(type, place, reason);
    }
}
