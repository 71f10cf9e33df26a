package dev.outbox.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.kafka.internal.inbox.InboxSettings;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class ConfiguredInboxesTest {

    private static final String VALID = "topics=orders;group=receiver";

    @Test
    void defaultsAcceptGapsAndKeepWhatTheyRefuse() {
        assertThat(inboxes(properties("shop", VALID)))
                .isEqualTo(Map.of(
                        "shop",
                        new InboxSettings(
                                List.of("orders"),
                                "receiver",
                                "",
                                null,
                                1,
                                null,
                                Late.DEAD_LETTER,
                                UnknownTypes.STORE,
                                null,
                                List.of())));
    }

    @Test
    void everyPropertyIsUsed() {
        assertThat(inboxes(properties(
                        "shop",
                        "topics=orders,parts;group=receiver;concurrency=3;aggregate-type-prefix=shop:;stream=default;"
                                + "hold-gaps=5s;late=drop;unknown-types=ignore;mapper=legacy;aliases=store")))
                .isEqualTo(Map.of(
                        "shop",
                        new InboxSettings(
                                List.of("orders", "parts"),
                                "receiver",
                                "shop:",
                                "default",
                                3,
                                Duration.ofSeconds(5),
                                Late.DROP,
                                UnknownTypes.IGNORE,
                                "legacy",
                                List.of("store"))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "group=receiver | outbox.kafka.inboxes.shop.topics is not set; name the topics",
                "topics=orders,;group=receiver | outbox.kafka.inboxes.shop.topics has a blank topic",
                "topics=orders | outbox.kafka.inboxes.shop.group is not set; name the consumer group",
                "topics=orders;group=receiver;concurrency=0 | outbox.kafka.inboxes.shop.concurrency must be at least 1: 0",
                "topics=orders;group=receiver;aliases=kafka-inbox-store | outbox.kafka.inboxes.shop.aliases has the handler kafka-inbox-store instead of a former name of the inbox; remove the prefix kafka-inbox-",
                "topics=orders;group=receiver;hold-gaps=0s | outbox.kafka.inboxes.shop.hold-gaps must be positive",
                "topics=orders;group=receiver;stream=fast | outbox.kafka.inboxes.shop.stream must be one of [default]"
            })
    void invalidPropertyIsNamed(String properties, String message) {
        assertThatThrownBy(() -> inboxes(properties("shop", properties)))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"receiver", "other"})
    void topicHasOneInbox(String group) {
        Map<String, String> both = Stream.of(properties("a", VALID), properties("b", "topics=orders;group=" + group))
                .flatMap((map) -> map.entrySet().stream())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));

        assertThatThrownBy(() -> inboxes(both))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(
                        "outbox.kafka.inboxes.a and outbox.kafka.inboxes.b both receive the topic orders");
    }

    private static Map<String, String> properties(String name, String values) {
        return Stream.of(values.split(";"))
                .map((value) -> value.split("=", 2))
                .collect(Collectors.toMap((pair) -> "outbox.kafka.inboxes." + name + "." + pair[0], (pair) -> pair[1]));
    }

    private static Map<String, InboxSettings> inboxes(Map<String, String> properties) {
        OutboxKafkaProperties bound = new Binder(new MapConfigurationPropertySource(properties))
                .bind("outbox.kafka", Bindable.of(OutboxKafkaProperties.class))
                .get();
        return ConfiguredInboxes.of(bound.inboxes(), Set.of("default"));
    }
}
