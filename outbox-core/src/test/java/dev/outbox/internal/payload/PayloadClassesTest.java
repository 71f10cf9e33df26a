package dev.outbox.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class PayloadClassesTest {

    record Plain() {}

    sealed interface OrderEvent permits Placed, Ended, Note, Level {}

    record Placed() implements OrderEvent {}

    sealed interface Ended extends OrderEvent permits Shipped, Cancelled {}

    record Shipped() implements Ended {}

    @EventType(value = "order.cancelled", version = 2)
    record Cancelled() implements Ended {}

    /** Concrete, and permits another class. */
    static sealed class Note implements OrderEvent permits LongNote {}

    static final class LongNote extends Note {}

    enum Level implements OrderEvent {
        LOW,
        HIGH {
            @Override
            int value() {
                return 1;
            }
        };

        int value() {
            return 0;
        }
    }

    interface Open {}

    abstract static class Base {}

    sealed interface WithOpenInterface permits OpenMember {}

    non-sealed interface OpenMember extends WithOpenInterface {}

    sealed interface WithOpenClass permits OpenClass {}

    static non-sealed class OpenClass implements WithOpenClass {}

    sealed interface WithAbstractClass permits AbstractMember {}

    abstract static non-sealed class AbstractMember implements WithAbstractClass {}

    sealed interface Generic<T> permits GenericMember {}

    record GenericMember<T>(T value) implements Generic<T>, WithGenericMember {}

    sealed interface WithGenericMember permits GenericMember {}

    sealed interface Twins permits FirstTwin, SecondTwin {}

    @EventType("Twin")
    record FirstTwin() implements Twins {}

    @EventType(value = "Twin", copy = true)
    record SecondTwin() implements Twins {}

    @EventType("Named")
    sealed interface Named permits NamedMember {}

    record NamedMember() implements Named {}

    @Test
    void classStandsForItself() {
        PayloadClasses classes = PayloadClasses.of(Plain.class);

        assertThat(classes.eventTypes()).containsExactly("Plain");
        assertThat(classes.classOf("Plain")).isEqualTo(Plain.class);
        assertThat(classes.classOf("OfAHandlerThatNamesIt")).isEqualTo(Plain.class);
        assertThat(classes.versionOf("Plain")).isEqualTo(1);
        assertThat(classes.versionOf("OfAHandlerThatNamesIt")).isNull();
    }

    @Test
    void sealedTypeStandsForItsPermittedClasses() {
        PayloadClasses classes = PayloadClasses.of(OrderEvent.class);

        assertThat(classes.eventTypes())
                .containsExactlyInAnyOrder("Placed", "Shipped", "order.cancelled", "Note", "LongNote", "Level");
        assertThat(classes.classOf("order.cancelled")).isEqualTo(Cancelled.class);
        assertThat(classes.versionOf("order.cancelled")).isEqualTo(2);
        assertThat(classes.classOf("Level")).isEqualTo(Level.class);
        assertThat(classes.classOf("Unknown")).isNull();
        assertThat(PayloadClasses.of(Ended.class).eventTypes()).containsExactlyInAnyOrder("Shipped", "order.cancelled");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    Open              | which is an interface, so its event types are not known
                    Base              | which is an abstract class, so its event types are not known
                    WithOpenInterface | whose permitted type %OpenMember is non-sealed
                    WithOpenClass     | whose permitted type %OpenClass is non-sealed
                    WithAbstractClass | whose permitted type %AbstractMember is non-sealed
                    Generic           | which has type parameters
                    WithGenericMember | whose permitted type %GenericMember has type parameters
                    Twins             | whose permitted types %FirstTwin and %SecondTwin both stand for event type Twin
                    Named             | which has an @EventType, which only a class that is published can have""")
    void refusesTypesWhoseEventTypesAreNotKnown(String name, String reason) throws ClassNotFoundException {
        String prefix = PayloadClassesTest.class.getName() + "$";
        Class<?> type = Class.forName(prefix + name);

        assertThatThrownBy(() -> PayloadClasses.of(type))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(type.getName() + ", ")
                .hasMessageContaining(reason.replace("%", prefix));
    }

    @ParameterizedTest
    @ValueSource(classes = {JsonNode.class, Map.class, List.class, Object.class, Number.class, Level.class})
    void acceptsTypesThatJacksonReads(Class<?> type) {
        assertThat(PayloadClasses.of(type).classOf("Any")).isEqualTo(type);
    }
}
