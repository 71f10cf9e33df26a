package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.publish.PublisherSettings.StreamRouting;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ConfigurationMetadataTest {

    private static final Path DOCUMENTATION = Path.of("..", "docs", "configuration.md");

    private static final Pattern ROW = Pattern.compile("^\\| `(outbox\\.[^`]+)` \\| (?:`([^`]*)`)? ?\\| (\\S.*) \\|$");

    @Test
    void everyPropertyHasDescriptionThatIsSentence() {
        assertThat(properties())
                .isNotEmpty()
                .allSatisfy((name, property) -> assertThat(
                                property.path("description").asString(""))
                        .matches("(?s)[A-Z].*\\.")
                        .doesNotStartWith("The ")
                        .doesNotStartWith("A "));
    }

    @Test
    void everyPropertyHasDefaultUnlessItsAbsenceHasAMeaning() {
        assertThat(properties().entrySet())
                .filteredOn((entry) -> entry.getValue().path("defaultValue").isMissingNode())
                .extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrder(
                        "outbox.direct-url",
                        "outbox.handler-timeout",
                        "outbox.handlers",
                        "outbox.streams",
                        "outbox.poller.enabled",
                        "outbox.poller.streams",
                        "outbox.retention.archived",
                        "outbox.retention.dead",
                        "outbox.retention.operations",
                        "outbox.retention.received",
                        "outbox.retention.replays",
                        "outbox.retry.initial-delay",
                        "outbox.retry.max-delay",
                        "outbox.retry.non-retryable");
    }

    @Test
    void documentationListsThePropertiesAndDefaultsOfTheMetadata() throws IOException {
        Map<String, String> documented = new TreeMap<>(documented());
        documented.keySet().removeIf((name) -> name.contains("<"));

        Map<String, String> expected = new TreeMap<>();
        properties().forEach((name, property) -> expected.put(name, defaultOf(property)));
        expected.keySet().removeAll(Set.of("outbox.streams", "outbox.handlers"));
        // Spring Boot's own properties of an endpoint.
        expected.keySet().removeIf((name) -> name.startsWith("management."));
        assertThat(documented).isEqualTo(expected);
    }

    @Test
    void documentationListsTheKeysOfStreamsAndHandlers() throws IOException {
        Set<String> documented = new TreeSet<>(documented().keySet());
        documented.removeIf((name) -> !name.contains("<"));

        Set<String> expected = new TreeSet<>();
        addKeys(expected, "outbox.streams.<name>", OutboxProperties.Stream.class);
        addKeys(expected, "outbox.handlers[<id>]", OutboxProperties.Handler.class);
        assertThat(documented).isEqualTo(expected);
    }

    @Test
    void hintsBelongToPropertiesAndListEveryValueOfAnEnum() {
        Map<String, JsonNode> hints = metadata("hints");

        assertThat(hints.keySet())
                .contains("outbox.publisher.unrouted")
                .allSatisfy((name) -> assertThat(properties()).containsKey(name.replaceFirst("\\.keys$", "")));
        assertThat(hints.get("outbox.publisher.unrouted").path("values").valueStream())
                .extracting((value) -> value.path("value").asString().toUpperCase(Locale.ROOT))
                .containsExactlyElementsOf(
                        Stream.of(Unrouted.values()).map(Enum::name).toList());
        assertThat(hints.get("outbox.streams.keys").path("values").valueStream())
                .extracting((value) -> value.path("value").asString())
                .containsExactly(StreamRouting.DEFAULT_STREAM);
    }

    private static void addKeys(Set<String> keys, String prefix, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
            if (component.getType() == OutboxProperties.Retry.class) {
                keys.add(name + ".*");
            } else if (component.getType().isRecord()) {
                addKeys(keys, name, component.getType());
            } else {
                keys.add(name);
            }
        }
    }

    private static Map<String, String> documented() throws IOException {
        return Files.readAllLines(DOCUMENTATION).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .collect(Collectors.toMap((row) -> row.group(1), (row) -> row.group(2) == null ? "" : row.group(2)));
    }

    private static String defaultOf(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return value.isArray()
                ? value.valueStream().map(JsonNode::asString).collect(Collectors.joining(", "))
                : value.asString("");
    }

    private static Map<String, JsonNode> properties() {
        return metadata("properties");
    }

    private static Map<String, JsonNode> metadata(String part) {
        String path = "/META-INF/spring-configuration-metadata.json";
        try (InputStream json = OutboxProperties.class.getResourceAsStream(path)) {
            JsonNode metadata = JsonMapper.shared().readTree(json);
            return metadata.path(part)
                    .valueStream()
                    .collect(Collectors.toMap(
                            (property) -> property.path("name").asString(),
                            (property) -> property,
                            (a, b) -> b,
                            TreeMap::new));
        } catch (IOException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
