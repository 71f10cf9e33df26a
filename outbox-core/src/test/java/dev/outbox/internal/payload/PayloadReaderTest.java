package dev.outbox.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.exc.InvalidNullException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

class PayloadReaderTest {

    record Placed(String customer, @Nullable String note) {}

    record Chosen(Optional<String> customer) {}

    record Defaulted(String customer) {
        Defaulted {
            customer = customer == null ? "unknown" : customer;
        }
    }

    record Aliased(@JsonAlias({"client", "buyer"}) String customer) {}

    record Named(@JsonProperty("cust") String customer) {}

    @JsonNaming(SnakeCaseStrategy.class)
    record Snake(String customerName) {}

    record Derived(String customer, @Nullable String note) {
        public String getGreeting() {
            return "hello";
        }
    }

    record Line(String sku, int count) {}

    record Basket(List<Line> lines) {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Listed(String customer, String note) {}

    record Tree(String name, Tree left, Tree right) {}

    record Open(String customer, @JsonAnySetter Map<String, Object> others) {}

    record Wrapping(@JsonUnwrapped Line line, String customer) {}

    @JsonIgnoreProperties("client")
    record Dropped(String customer) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    record View(String customer) {}

    record Hidden(
            String customer,
            @JsonIgnore String secret,

            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            String key) {}

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    record Sparse(String customer, List<String> tags) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes(@JsonSubTypes.Type(value = Card.class, name = "card"))
    sealed interface Payment {}

    record Card(String number) implements Payment {}

    static final class Bean {
        public String customer;
        private int count;

        public int getCount() {
            return count;
        }

        public void setCount(int count) {
            this.count = count;
        }
    }

    static final class Consumer {
        private String customer;

        public void setCustomer(String customer) {
            this.customer = customer;
        }

        @Override
        public String toString() {
            return String.valueOf(customer);
        }
    }

    static final List<Arguments> RENAMED = List.of(
            renamed(Placed.class, "{'client': 'a', 'note': 'b'}", "'customer'", "'client'"),
            renamed(Placed.class, "{'Customer': 'a', 'note': 'b'}", "'customer'", "'Customer'"),
            renamed(Placed.class, "{'client': {'name': 'a'}, 'note': 'b'}", "'customer'", "'client'"),
            renamed(Aliased.class, "{'payer': 'a'}", "'customer'", "'payer'"),
            renamed(Named.class, "{'customer': 'a'}", "'cust'", "'customer'"),
            renamed(Snake.class, "{'customerName': 'a'}", "'customer_name'", "'customerName'"),
            renamed(Derived.class, "{'client': 'a', 'note': 'b', 'greeting': 'c'}", "'customer'", "'client'"),
            renamed(Payment.class, "{'kind': 'card', 'no': '1'}", "'number'", "'no'"),
            renamed(Payment.class, "{'no': '1', 'kind': 'card'}", "'number'", "'no'"));

    static final List<Arguments> READABLE = List.of(
            readable(Placed.class, "{'customer': 'a', 'note': null, 'added': 1}"),
            readable(Placed.class, "{'customer': 'a'}"),
            readable(Placed.class, "{'customer': 'a', 'remark': 'b'}"),
            readable(Placed.class, "{'customer': null, 'added': 1}"),
            readable(Chosen.class, "{'client': 'a'}"),
            readable(Defaulted.class, "{'client': 'a'}"),
            readable(Consumer.class, "{'client': 'a'}"),
            readable(Basket.class, "{'lines': [{'ean': 'a', 'count': 1}]}"),
            readable(Aliased.class, "{'buyer': 'a', 'added': 1}"),
            readable(Derived.class, "{'customer': 'a', 'greeting': 'c'}"),
            readable(Open.class, "{'client': 'a'}"),
            readable(Wrapping.class, "{'sku': 'a', 'count': 1, 'customer': 'b', 'added': 1}"),
            readable(Dropped.class, "{'client': 'a'}"),
            readable(Listed.class, "['a', null]"),
            readable(Tree.class, "{'name': 'a', 'left': {'title': 'b'}, 'right': null}"),
            readable(View.class, "{'client': 'a'}"),
            readable(Hidden.class, "{'customer': 'a', 'added': 1}"),
            readable(Sparse.class, "{'customer': 'a', 'added': 1}"),
            readable(Map.class, "{'client': 'a'}"),
            readable(JsonNode.class, "{'client': 'a'}"),
            readable(Bean.class, "{'customer': 'a', 'count': 1, 'added': 1}"));

    @ParameterizedTest
    @FieldSource("RENAMED")
    void refusesFieldThatLooksRenamed(Class<?> type, String json, String missing, String unknown) {
        PayloadReader reader = reader(JsonMapper.builder().build());

        assertMismatch(reader, json, type).hasMessageContainingAll("lacks " + missing, "has " + unknown, "@JsonAlias");
    }

    @ParameterizedTest
    @FieldSource("READABLE")
    void readsWhatOtherVersionsWrite(Class<?> type, String json) throws Exception {
        assertThat(reader(JsonMapper.builder().build()).read(json, type).payload())
                .isInstanceOf(type);
    }

    /** Checks its parameter as a Kotlin class does. */
    record Kotlin(String customer, String channel) {
        Kotlin {
            if (channel == null) {
                throw new NullPointerException(
                        "Parameter specified as non-null is null: method shop.OrderPlaced.<init>, parameter channel");
            }
        }
    }

    @Test
    void missingParameterOfAKotlinClassIsNamed() {
        assertThatThrownBy(() ->
                        new PayloadReader(JsonMapper.shared(), List.of()).read("{\"customer\":\"ann\"}", Kotlin.class))
                .isInstanceOf(UndecodableException.class)
                .hasMessageStartingWith("the payload does not fit " + Kotlin.class.getName() + " at ")
                .hasMessageEndingWith(
                        "the Kotlin parameter 'channel' has no value and may not be null; make it nullable, or add"
                                + " tools.jackson.module:jackson-module-kotlin, which applies its default value; then retry");
    }

    /** Stands for the exception of the Kotlin module. */
    static final class KotlinInvalidNullException extends InvalidNullException {

        private static final long serialVersionUID = 1L;

        KotlinInvalidNullException(DeserializationContext context) {
            super(context, "customer is secret", PropertyName.construct("channel"));
            setTargetType(context.constructType(Kotlin.class));
        }
    }

    @Test
    void missingParameterIsNamedWithTheKotlinModule() {
        JsonMapper mapper = JsonMapper.builder()
                .addModule(new SimpleModule().addDeserializer(Kotlin.class, new StdDeserializer<>(Kotlin.class) {
                    @Override
                    public Kotlin deserialize(JsonParser json, DeserializationContext context) {
                        throw new KotlinInvalidNullException(context);
                    }
                }))
                .build();

        assertThatThrownBy(() -> reader(mapper).read("{\"customer\":\"ann\"}", Kotlin.class))
                .isInstanceOf(UndecodableException.class)
                .hasMessageEndingWith("at the root: the Kotlin parameter 'channel' has no value and may not be null;"
                        + " give it a default or make it nullable");
    }

    @Test
    void absentFieldSaysNothingWhereMapperOmitsNulls() throws Exception {
        JsonMapper mapper = JsonMapper.builder()
                .changeDefaultPropertyInclusion((old) -> old.withValueInclusion(JsonInclude.Include.NON_NULL))
                .build();
        PayloadReader reader = reader(mapper);

        assertThat(reader.read("{\"customer\": \"a\", \"added\": 1}", Placed.class))
                .isEqualTo(new PayloadReader.Decoded(new Placed("a", null), List.of()));
        assertThat(reader.read("{\"note\": \"b\", \"added\": 1}", Placed.class))
                .isEqualTo(new PayloadReader.Decoded(new Placed(null, "b"), List.of()));
    }

    @Test
    void namesFollowTheSettingsOfTheMapper() throws Exception {
        JsonMapper mapper = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)
                .build();
        PayloadReader reader = reader(mapper);

        assertThat(reader.read("{\"CUSTOMER\": \"a\", \"note\": null, \"added\": 1}", Placed.class)
                        .payload())
                .isEqualTo(new Placed("a", null));
        assertThat(reader.read("{\"customer-name\": \"a\", \"added\": 1}", PlainName.class)
                        .payload())
                .isEqualTo(new PlainName("a"));
        assertMismatch(reader, "{\"customerName\": \"a\"}", PlainName.class).hasMessageContaining("'customer-name'");
    }

    record PlainName(String customerName) {}

    @Test
    void messageNeverHoldsValues() {
        PayloadReader reader = reader(JsonMapper.builder().build());
        String name = "n".repeat(500);

        assertMismatch(reader, "{\"" + name + "\": \"secret\", \"b\\n\": \"secret\"}", Placed.class)
                .hasMessageNotContaining("secret")
                .hasMessageNotContaining("\n")
                .hasMessageNotContaining(name);
    }

    @ParameterizedTest
    @FieldSource("MISSING")
    void namesMissingFields(Class<?> type, String json, List<String> missing) throws Exception {
        assertThat(reader(JsonMapper.builder().build())
                        .read(json.replace('\'', '"'), type)
                        .missing())
                .isEqualTo(missing);
    }

    static final List<Arguments> MISSING = List.of(
            Arguments.of(Placed.class, "{'note': 'b'}", List.of("customer")),
            Arguments.of(Placed.class, "{'customer': null, 'note': 'b'}", List.of()),
            Arguments.of(Placed.class, "{'customer': 'a'}", List.of()),
            Arguments.of(Chosen.class, "{}", List.of()),
            Arguments.of(Defaulted.class, "{}", List.of()),
            Arguments.of(Aliased.class, "{'buyer': 'a'}", List.of()),
            Arguments.of(Snake.class, "{}", List.of("customer_name")),
            Arguments.of(Basket.class, "{}", List.of("lines")),
            Arguments.of(Hidden.class, "{}", List.of("customer")),
            Arguments.of(Listed.class, "['a', null]", List.of()),
            Arguments.of(Sparse.class, "{}", List.of()),
            Arguments.of(Open.class, "{'client': 'a'}", List.of("customer")),
            Arguments.of(Bean.class, "{}", List.of()),
            Arguments.of(Map.class, "{}", List.of()));

    private static AbstractThrowableAssert<?, ?> assertMismatch(PayloadReader reader, String json, Class<?> type) {
        return assertThatThrownBy(() -> reader.read(json.replace('\'', '"'), type))
                .isInstanceOfSatisfying(
                        UndecodableException.class,
                        (ex) -> assertThat(ex.failure().code()).isEqualTo("PAYLOAD_MISMATCH"));
    }

    private static PayloadReader reader(JsonMapper mapper) {
        return new PayloadReader(mapper, List.of());
    }

    private static Arguments renamed(Class<?> type, String json, String missing, String unknown) {
        return Arguments.of(type, json, missing, unknown);
    }

    private static Arguments readable(Class<?> type, String json) {
        return Arguments.of(type, json.replace('\'', '"'));
    }
}
