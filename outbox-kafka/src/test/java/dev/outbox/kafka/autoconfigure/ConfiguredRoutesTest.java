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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class ConfiguredRoutesTest {

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
    void routeSelectsSomething() {
        assertThatThrownBy(() -> routes("a.forward-received=true", "a.topic=orders"))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("set outbox.kafka.routes.a.event-types")
                .hasMessageContaining("outbox.kafka.routes.a.streams");
    }

    @Test
    void routeHasTopic() {
        assertThatThrownBy(() -> routes("a.event-types=OrderPlaced"))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("outbox.kafka.routes.a.topic is not set");
    }

    @ParameterizedTest
    @CsvSource({
        "topic, my orders, letters",
        "topic, shop.{eventType}, letters",
        "streams, post, there are only the streams"
    })
    void invalidValueIsReportedWithItsProperty(String key, String value, String reason) {
        assertThatThrownBy(() -> routes(
                        key.equals("topic") ? "a.event-types=OrderPlaced" : "a.topic=orders", "a." + key + "=" + value))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.kafka.routes.a." + key);
                    assertThat(ex.getReason()).contains(reason);
                });
    }

    @Test
    void routesMaySelectTheSame() {
        assertThat(routes("a.event-types=OrderPlaced", "a.topic=x", "b.event-types=*", "b.topic=y"))
                .hasSize(2);
    }

    @Test
    void sourceHasNoDefault() {
        assertThat(ConfiguredRoutes.source("urn:shop", "other")).isEqualTo("urn:shop");
        assertThatThrownBy(() -> ConfiguredRoutes.source(null, "billing"))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("outbox.forwarding.source is not set")
                .hasMessageEndingWith("for example to /billing");
        assertThatThrownBy(() -> ConfiguredRoutes.source(" ", null)).hasMessageEndingWith("for example to /shop");
    }

    @ParameterizedTest
    @ValueSource(strings = {"my shop", "shop:", "/žižkov", "http://[shop"})
    void sourceIsUriReference(String source) {
        assertThatThrownBy(() -> ConfiguredRoutes.source(source, "shop"))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.forwarding.source");
                    assertThat(ex.getReason()).contains("a URI reference, such as /shop");
                });
    }

    private static Map<String, Route> routes(String... properties) {
        Map<String, Object> map = new HashMap<>();
        for (String property : properties) {
            String[] parts = property.split("=", 2);
            map.put("outbox.kafka.routes." + parts[0], parts[1]);
        }
        OutboxKafkaProperties bound = new Binder(new MapConfigurationPropertySource(map))
                .bindOrCreate("outbox.kafka", OutboxKafkaProperties.class);
        return ConfiguredRoutes.of(bound.routes(), Set.of("default", "mail"));
    }
}
