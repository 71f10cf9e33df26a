package dev.outbox.kafka.internal.forwarder;

import static dev.outbox.kafka.internal.forwarder.TestEvents.event;
import static dev.outbox.kafka.internal.forwarder.TestEvents.route;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.HandlerConfigurationException;
import dev.outbox.kafka.internal.forwarder.Selector.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutesTest {

    @ParameterizedTest
    @CsvSource({
        "EVENT_TYPES, OrderPlaced, true",
        "EVENT_TYPES, OrderShipped, false",
        "EVENT_TYPES, *, true",
        "AGGREGATE_TYPES, Order, true",
        "AGGREGATE_TYPES, Payment, false",
        "STREAMS, default, true",
        "STREAMS, mail, false"
    })
    void routeTakesWhatItSelects(Kind kind, String name, boolean expected) {
        assertThat(route("orders", kind, name).takes(event("a1"))).isEqualTo(expected);
    }

    @Test
    void recordsThatAnInboxRefusedAreNeverForwarded() {
        Route everything = TestEvents.route("all", Kind.STREAMS, "default", true);

        assertThat(everything.takes(TestEvents.event("a1", "OrderPlaced", Map.of())))
                .isTrue();
        assertThat(everything.takes(TestEvents.event("a1", "outbox.KafkaRecord", Map.of())))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"EVENT_TYPES, OrderPlaced", "AGGREGATE_TYPES, Order", "STREAMS, mail"})
    void twoRoutesMustNotSelectTheSame(Kind kind, String name) {
        assertThatThrownBy(() -> new Routes(List.of(route("one", kind, name), route("two", kind, name))))
                .isInstanceOf(HandlerConfigurationException.class)
                .hasMessageContaining("outbox.kafka.routes.one and outbox.kafka.routes.two both select")
                .hasMessageContaining(name);
    }

    @Test
    void namesOfDifferentKindsMayBeEqual() {
        Routes routes =
                new Routes(List.of(route("one", Kind.EVENT_TYPES, "Order"), route("two", Kind.STREAMS, "Order")));

        assertThat(routes.named("two").handlerId()).isEqualTo("kafka-two");
    }
}
