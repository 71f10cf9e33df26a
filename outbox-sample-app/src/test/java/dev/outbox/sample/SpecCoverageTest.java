package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the table of coverage names must exist, and no row may be without an answer. */
class SpecCoverageTest {

    private static final String MODULES = "outbox-(core|spring-boot-starter|sample-app)/";
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]\\w+)`");
    private static final Pattern MIGRATION = Pattern.compile("`(V\\d+__\\w+\\.sql)`");
    private static final Pattern EXCUSE = Pattern.compile("(?i)\\*\\*not met\\*\\*|\\*no test\\*:");

    private final List<List<String>> rows = rows();

    @Test
    void everyRowNamesItsTestOrSaysWhyItHasNone() {
        assertThat(rows)
                .hasSizeGreaterThan(150)
                .allSatisfy((row) -> assertThat(row).hasSize(3))
                .allSatisfy((row) -> assertThat(TEST.matcher(row.get(2)).find()
                                || EXCUSE.matcher(row.get(2)).find())
                        .as(row.toString())
                        .isTrue());
    }

    @Test
    void everyTestThatIsNamedExists() {
        Map<String, String> tests = sources("src/test/java");

        assertThat(rows)
                .allSatisfy((row) -> assertThat(TEST.matcher(row.get(2)).results())
                        .allSatisfy((test) -> assertThat(tests.getOrDefault(test.group(1), "no such class"))
                                .as(test.group())
                                .contains("void " + test.group(2) + "(")));
    }

    @Test
    void everyClassAndMigrationThatIsNamedExists() {
        Map<String, String> classes = sources("src/main/java");
        String migrations = SourceTree.files("", MODULES + "src/main/resources/.*").stream()
                .map(SourceTree::relative)
                .collect(Collectors.joining("\n"));

        assertThat(rows).allSatisfy((row) -> {
            assertThat(TYPE.matcher(row.get(1)).results())
                    .allSatisfy((type) -> assertThat(classes).containsKey(type.group(1)));
            assertThat(MIGRATION.matcher(row.get(1)).results())
                    .allSatisfy((migration) -> assertThat(migrations).contains("/" + migration.group(1)));
        });
    }

    @Test
    void everyEventOfTheCatalogHasItsRow() {
        Matcher events = Pattern.compile("(?m)^ {12}([A-Z]\\w+) +\\| ([a-z_, ]+)\\|")
                .matcher(sources("src/test/java").get("EventCatalogTest"));

        assertThat(events.results().toList())
                .hasSize(30)
                .allSatisfy((event) -> assertThat(rows)
                        .anySatisfy((row) -> assertThat(row.get(0))
                                .startsWith(
                                        event.group(1) + ": " + event.group(2).strip() + " →")));
    }

    /** The cells of all rows, the headings left out. */
    private static List<List<String>> rows() {
        return SourceTree.read(SourceTree.ROOT.resolve("docs/spec-coverage.md"))
                .lines()
                .filter((line) -> line.startsWith("| "))
                .map((line) -> Stream.of(line.substring(1, line.length() - 1).split("\\|"))
                        .map(String::strip)
                        .toList())
                .filter((row) -> !row.contains("shown by"))
                .toList();
    }

    /** Sources by the simple name of their class; those of one name are taken together. */
    private static Map<String, String> sources(String folder) {
        return SourceTree.files("", MODULES + folder + "/.*\\.java").stream()
                .collect(Collectors.toMap(
                        (file) -> file.getFileName().toString().replace(".java", ""),
                        SourceTree::read,
                        (one, other) -> one + other));
    }
}
