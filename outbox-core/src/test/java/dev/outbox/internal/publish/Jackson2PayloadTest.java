package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.POJONode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.TestOutbox;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/** Jackson 3 ignores the types of Jackson 2, so a payload must not rely on them. */
class Jackson2PayloadTest {

    private static final ObjectNode NODE = JsonNodeFactory.instance.objectNode().put("a", 1);
    private static final ArrayNode NODES = JsonNodeFactory.instance.arrayNode().add(1);

    private static TestOutbox outbox;

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(PayloadRefusal.class);

    record Box<T>(T content) {}

    record Declared(com.fasterxml.jackson.databind.JsonNode node) {}

    static final List<Arguments> NODES_ANYWHERE = List.of(
            Arguments.of(NODE),
            Arguments.of(NODES),
            Arguments.of(new Box<>(NODE)),
            Arguments.of(new Box<>(NODES)),
            Arguments.of(new Declared(NODE)),
            Arguments.of(new Box<>(new Declared(JsonNodeFactory.instance.nullNode()))),
            Arguments.of(new Box<>(JsonNodeFactory.instance.textNode("a"))),
            Arguments.of(new Box<>(new POJONode(1))),
            Arguments.of(new Box<>(new RawValue("{}"))),
            Arguments.of(new Box<>(List.of(NODE))),
            Arguments.of(new Box<>(Map.of("a", NODE))),
            Arguments.of(Map.of("a", NODE)),
            Arguments.of(new Box<>(Optional.of(NODE))),
            Arguments.of(new Box<>(new Object[] {NODE})));

    record MaskedComponent(
            @JsonSerialize(using = ToStringSerializer.class) Card card) {}

    record Card(String number) {}

    static final class MaskedGetter {
        @JsonSerialize(using = ToStringSerializer.class)
        public String getSecret() {
            return "4111";
        }
    }

    interface Holder {
        @JsonSerialize(using = ToStringSerializer.class)
        String secret();
    }

    record Inheriting(String secret) implements Holder {}

    @JsonSerialize(using = ToStringSerializer.class)
    record MaskedClass(String secret) {}

    @JsonSerialize(using = ToStringSerializer.class)
    enum MaskedEnum {
        SECRET
    }

    @JsonSerialize(using = ToStringSerializer.class)
    static final class MaskedList extends ArrayList<String> {
        private static final long serialVersionUID = 1L;
    }

    @JsonSerialize(using = ToStringSerializer.class)
    static final class MaskedMap extends HashMap<String, String> {
        private static final long serialVersionUID = 1L;
    }

    @JsonSerialize(using = ToStringSerializer.class)
    record MaskedValue(@JsonValue String secret) {}

    record MaskedContent(
            @JsonSerialize(contentUsing = ToStringSerializer.class)
            List<String> secrets) {}

    @Retention(RetentionPolicy.RUNTIME)
    @JacksonAnnotationsInside
    @JsonSerialize(using = ToStringSerializer.class)
    @interface Masked {}

    record MaskedByBundle(@Masked String secret) {}

    static final List<Arguments> UNMASKED = List.of(
            unmasked(new MaskedComponent(new Card("4111")), "on 'card'"),
            unmasked(new MaskedGetter(), "on 'secret'"),
            unmasked(new Inheriting("4111"), "on 'secret'"),
            unmasked(new MaskedClass("4111"), "on the class"),
            unmasked(new MaskedContent(List.of("4111")), "on 'secrets'"),
            unmasked(new MaskedByBundle("4111"), "on 'secret'"),
            unmasked(new Box<>(new MaskedByBundle("4111")), "on 'secret'"),
            unmasked(new Box<>(List.of(new MaskedClass("4111"))), "on the class"),
            unmasked(new Box<>(Map.of("a", new MaskedClass("4111"))), "on the class"),
            unmasked(new Box<>(Optional.of(new MaskedClass("4111"))), "on the class"),
            unmasked(new Box<>(new MaskedClass[] {new MaskedClass("4111")}), "on the class"),
            unmasked(new Box<>(MaskedEnum.SECRET), "on the class"),
            unmasked(new Box<>(new MaskedList()), "on the class"),
            unmasked(new Box<>(new MaskedMap()), "on the class"),
            unmasked(new Box<>(new MaskedValue("4111")), "on the class"));

    record Both(
            @JsonSerialize(using = ToStringSerializer.class)
            @tools.jackson.databind.annotation.JsonSerialize(
                    using = tools.jackson.databind.ser.std.ToStringSerializer.class)
            Card card) {}

    @JsonSerialize(using = ToStringSerializer.class)
    @tools.jackson.databind.annotation.JsonSerialize(using = tools.jackson.databind.ser.std.ToStringSerializer.class)
    record BothOnClass(String secret) {}

    record Ignored(
            String id,

            @JsonIgnore @JsonSerialize(using = ToStringSerializer.class)
            String secret) {}

    record Shared(@JsonProperty("number") String id) {}

    static final List<Arguments> MASKED = List.of(
            Arguments.of(new Both(new Card("4111")), "{\"card\":\"Card[number=4111]\"}"),
            Arguments.of(new Box<>(new BothOnClass("4111")), "{\"content\":\"BothOnClass[secret=4111]\"}"),
            Arguments.of(new Ignored("1", "4111"), "{\"id\":\"1\"}"),
            Arguments.of(new Shared("1"), "{\"number\":\"1\"}"),
            Arguments.of(
                    new Box<>(tools.jackson.databind.node.JsonNodeFactory.instance
                            .arrayNode()
                            .add(1)),
                    "{\"content\":[1]}"));

    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Named(@JsonDeserialize(as = String.class) String orderId) {}

    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    @tools.jackson.databind.annotation.JsonNaming(
            tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy.class)
    record NamedForBoth(String orderId) {}

    @BeforeAll
    static void start() {
        outbox = TestOutbox.create();
    }

    @AfterAll
    static void close() {
        outbox.close();
    }

    @ParameterizedTest
    @FieldSource("NODES_ANYWHERE")
    void nodesOfJackson2AreRefused(Object payload) {
        assertThatThrownBy(() -> publish(payload))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContainingAll("com.fasterxml.jackson.databind.", "belongs to Jackson 2", "tools.jackson");
    }

    @ParameterizedTest
    @FieldSource("UNMASKED")
    void whatJackson2WouldMaskIsRefused(Object payload, String place) {
        assertThatThrownBy(() -> publish(payload))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContainingAll(
                        "@JsonSerialize of Jackson 2 " + place, "tools.jackson.databind.annotation.JsonSerialize")
                .hasMessageNotContaining("4111");
    }

    @ParameterizedTest
    @FieldSource("MASKED")
    void annotationsOfBothVersionsAreAccepted(Object payload, String json) {
        assertThat(publish(payload)).isEqualTo(json);
    }

    @Test
    void otherAnnotationsOfJackson2AreReportedOncePerClass() {
        assertThat(publish(new Named("1"))).isEqualTo("{\"orderId\":\"1\"}");
        publish(new Box<>(new Named("2")));
        assertThat(publish(new NamedForBoth("1"))).isEqualTo("{\"order_id\":\"1\"}");
        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains(Named.class.getName(), "[JsonDeserialize, JsonNaming]", "tools.jackson.databind.annotation");
    }

    private static String publish(Object payload) {
        return outbox.inTransaction(() -> outbox.publisher()
                .publish(OutboxEvent.of("order", "1", payload).withEventType("Placed"))
                .payload());
    }

    private static Arguments unmasked(Object payload, String place) {
        return Arguments.of(payload, place);
    }
}
