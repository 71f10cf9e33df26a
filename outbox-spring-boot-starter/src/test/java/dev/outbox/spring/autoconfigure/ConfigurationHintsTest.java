package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.publish.PublisherSettings.StreamRouting;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Values of properties that editors suggest. */
class ConfigurationHintsTest {

    @Test
    void hintsBelongToPropertiesAndListEveryValueOfAnEnum() throws IOException {
        Map<String, JsonNode> properties = metadata("properties");
        Map<String, JsonNode> hints = metadata("hints");

        assertThat(hints.keySet())
                .contains("outbox.publisher.unrouted")
                .allSatisfy((name) -> assertThat(properties).containsKey(name.replaceFirst("\\.keys$", "")));
        assertThat(hints.get("outbox.publisher.unrouted").path("values").valueStream())
                .extracting((value) -> value.path("value").asString().toUpperCase(Locale.ROOT))
                .containsExactlyElementsOf(
                        Stream.of(Unrouted.values()).map(Enum::name).toList());
        assertThat(hints.get("outbox.streams.keys").path("values").valueStream())
                .extracting((value) -> value.path("value").asString())
                .containsExactly(StreamRouting.DEFAULT_STREAM);
    }

    private static Map<String, JsonNode> metadata(String part) throws IOException {
        String path = "/META-INF/spring-configuration-metadata.json";
        try (InputStream json = OutboxProperties.class.getResourceAsStream(path)) {
            return JsonMapper.shared()
                    .readTree(json)
                    .path(part)
                    .valueStream()
                    .collect(Collectors.toMap((entry) -> entry.path("name").asString(), (entry) -> entry));
        }
    }
}
