package dev.outbox.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.spring.autoconfigure.OutboxProperties;
import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Metadata of the properties of all modules, and the tables of the documentation, which come from it. */
class ConfigurationMetadataTest {

    private static final Pattern TABLE =
            Pattern.compile("(?<=<!-- properties: generated -->\n).*?(?=<!-- end of properties -->)", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("(management\\.\\w+\\.)?outbox\\.");
    private static final Pattern LINK = Pattern.compile("\\[`([^`]+)`]\\([^)]+\\)");
    private static final Pattern CODE = Pattern.compile("\"([^\"]+)\"|(@\\w+|outbox-\\w+)");
    private static final Pattern KEY = Pattern.compile("^\\| `(outbox\\.[^`]*<[^`]+)`", Pattern.MULTILINE);

    @Test
    void everyPropertyHasDescriptionThatIsSentence() {
        assertThat(properties())
                .containsKeys("outbox.schema", "management.health.outbox.enabled")
                .allSatisfy((name, property) -> assertThat(
                                property.path("description").asString(""))
                        .matches("(?s)[A-Z].*\\.")
                        .doesNotStartWith("The ")
                        .doesNotStartWith("A "));
    }

    @Test
    void everyPropertyHasDefaultUnlessItsAbsenceHasAMeaning() {
        assertThat(properties().entrySet())
                .filteredOn((entry) -> !isMap(entry.getValue()))
                .filteredOn((entry) -> entry.getValue().path("defaultValue").isMissingNode())
                .extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrder(
                        "outbox.direct-url",
                        "outbox.handler-timeout",
                        "outbox.forwarding.source",
                        "outbox.modulith.publications",
                        "outbox.poller.enabled",
                        "outbox.poller.streams",
                        "outbox.rabbit.template",
                        "outbox.retention.archived",
                        "outbox.retention.dead",
                        "outbox.retention.operations",
                        "outbox.retention.received",
                        "outbox.retention.replays",
                        "outbox.retry.initial-delay",
                        "outbox.retry.max-delay",
                        "outbox.retry.non-retryable");
    }

    /** With -Dupdate, writes the tables instead of comparing them. Links of properties are the page's own, and stay. */
    @ParameterizedTest
    @CsvSource({
        "configuration.md, outbox\\.(?!console\\.|kafka\\.|channel\\.|rabbit\\.).*",
        "console.md, outbox\\.console\\..*"
    })
    void tableIsThatOfTheMetadata(String name, String selection) throws IOException {
        Path page = SourceTree.ROOT.resolve("docs").resolve(name);
        String text = SourceTree.read(page);
        assertThat(text).containsPattern(TABLE);
        String generated = TABLE.matcher(text)
                .replaceFirst((table) -> Matcher.quoteReplacement(
                        table(links(table.group()), Pattern.compile(selection).asMatchPredicate())));

        if (System.getProperty("update") != null) {
            Files.writeString(page, generated);
        }
        assertThat(SourceTree.read(page))
                .as(
                        "docs/%s; to update it: mvn test -pl outbox-sample-app -am -Dtest=%s -Dupdate",
                        name, getClass().getSimpleName())
                .isEqualTo(generated)
                .contains("| `" + selection.substring(0, 6));
    }

    @Test
    void documentationListsTheKeysOfStreamsAndHandlers() {
        Set<String> documented = KEY.matcher(SourceTree.read(SourceTree.ROOT.resolve("docs/configuration.md")))
                .results()
                .map((row) -> row.group(1))
                .collect(Collectors.toSet());

        Set<String> expected = new TreeSet<>();
        addKeys(expected, "outbox.streams.<name>", OutboxProperties.Stream.class);
        addKeys(expected, "outbox.handlers[<id>]", OutboxProperties.Handler.class);
        assertThat(documented).isEqualTo(expected);
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

    private static Map<String, String> links(String table) {
        return LINK.matcher(table).results().collect(Collectors.toMap((link) -> link.group(1), MatchResult::group));
    }

    private static String table(Map<String, String> links, Predicate<String> selection) {
        StringBuilder table = new StringBuilder("| property | type | default | meaning |\n|---|---|---|---|\n");
        properties().forEach((name, property) -> {
            // Maps have tables of their keys.
            if (selection.test(name) && !isMap(property)) {
                String value = defaultOf(property);
                table.append("| %s | %s | %s| %s |\n"
                        .formatted(
                                links.getOrDefault(name, code(name)),
                                typeOf(property),
                                value.isEmpty() ? "" : code(value) + " ",
                                descriptionOf(property)));
            }
        });
        return table.toString();
    }

    private static boolean isMap(JsonNode property) {
        return property.path("type").asString().startsWith("java.util.Map<");
    }

    /** Returns the simple name of a type, without bounds: "List<Duration>" for lists of durations. */
    private static String typeOf(JsonNode property) {
        return code(property.path("type")
                .asString()
                .replace("? extends ", "")
                .replaceAll("<java\\.lang\\.Class<.*>>", "<Class>")
                .replaceAll("[\\w.]+[.$]", ""));
    }

    private static String defaultOf(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return value.isArray()
                ? value.valueStream().map(JsonNode::asString).collect(Collectors.joining(", "))
                : value.asString("");
    }

    private static String descriptionOf(JsonNode property) {
        return CODE.matcher(property.path("description").asString())
                .replaceAll((found) ->
                        Matcher.quoteReplacement(code(found.group(1) == null ? found.group(2) : found.group(1))));
    }

    private static String code(String text) {
        return "`" + text + "`";
    }

    /** Returns the properties of all modules of the library by name. */
    private static Map<String, JsonNode> properties() {
        Map<String, JsonNode> properties = new TreeMap<>();
        try {
            for (URL url : Collections.list(ConfigurationMetadataTest.class
                    .getClassLoader()
                    .getResources("META-INF/spring-configuration-metadata.json"))) {
                try (InputStream json = url.openStream()) {
                    JsonMapper.shared()
                            .readTree(json)
                            .path("properties")
                            .valueStream()
                            .filter((property) -> NAME.matcher(
                                            property.path("name").asString())
                                    .lookingAt())
                            .forEach((property) ->
                                    properties.put(property.path("name").asString(), property));
                }
            }
        } catch (IOException ex) {
            throw new IllegalStateException(ex);
        }
        return properties;
    }
}
