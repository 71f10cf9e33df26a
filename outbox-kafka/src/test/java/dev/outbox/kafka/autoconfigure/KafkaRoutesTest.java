package dev.outbox.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.kafka.internal.forwarder.Route;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class KafkaRoutesTest {

    @Test
    void everyPropertyOfRouteIsApplied() {
        Map<String, Route> routes = routes(
                "b.event-types=*",
                "b.streams=mail",
                "b.topic=mails",
                "b.forward-received=true",
                "b.mapper=avro",
                "b.aliases=mails",
                "a.aggregate-types=Order,Payment",
                "a.topic=shop.{aggregateType}_v1-x");

        assertThat(routes)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "a",
                        new Route(
                                Set.of(),
                                Set.of("Order", "Payment"),
                                Set.of(),
                                "shop.{aggregateType}_v1-x",
                                false,
                                null,
                                List.of()),
                        "b",
                        new Route(Set.of("*"), Set.of(), Set.of("mail"), "mails", true, "avro", List.of("mails"))));
    }

    @Test
    void routeHasTopic() {
        assertThatThrownBy(() -> routes("a.event-types=OrderPlaced"))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("outbox.kafka.routes.a.topic is not set");
    }

    @ParameterizedTest
    @ValueSource(strings = {"my orders", "shop.{eventType}"})
    void invalidTopicIsReportedWithItsProperty(String topic) {
        assertThatThrownBy(() -> routes("a.event-types=OrderPlaced", "a.topic=" + topic))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.kafka.routes.a.topic");
                    assertThat(ex.getReason()).contains("letters");
                });
    }

    private static Map<String, Route> routes(String... properties) {
        Map<String, Object> map = new HashMap<>();
        for (String property : properties) {
            String[] parts = property.split("=", 2);
            map.put("outbox.kafka.routes." + parts[0], parts[1]);
        }
        Map<String, Route> routes = new Binder(new MapConfigurationPropertySource(map))
                .bindOrCreate("outbox.kafka", OutboxKafkaProperties.class)
                .routes();
        routes.forEach(KafkaRoutes::requireTopic);
        return routes;
    }
}
