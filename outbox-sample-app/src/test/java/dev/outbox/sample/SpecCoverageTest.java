package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the pages of coverage say of code and tests is so, and their index sums them up. */
class SpecCoverageTest {

    private static final String MODULES = "outbox-(core|spring-boot-starter|sample-app)/";
    private static final String HEADING = "| the document says | result | where | what the test asserts |";
    private static final String RESULT = "met|(differs|not met): .{10,}";
    private static final Pattern ASSERTION = Pattern.compile("`([^`]{10,90})` in `(\\w+Test)\\.(\\w+)`");
    private static final String NO_TEST = "\\*No test\\*: .{10,}";
    private static final Pattern TYPE_OR_MIGRATION = Pattern.compile("`([A-Z][a-z]\\w+|V\\d+__\\w+\\.sql)`");

    /** The four pages by their file names, as the index lists them. */
    private final Map<String, Page> pages = pages();

    private final List<Row> rows =
            pages.values().stream().flatMap((page) -> page.rows().stream()).toList();

    @Test
    void everyRowHasFourCellsAndAnHonestResult() {
        assertThat(rows)
                .hasSizeGreaterThan(250)
                .filteredOn((row) -> !row.isComplete())
                .isEmpty();
    }

    @Test
    void everyAssertionStandsInTheTestThatIsNamed() {
        Map<String, String> tests = SourceTree.tests();

        assertThat(rows)
                .flatExtracting(Row::assertions)
                .filteredOn((assertion) -> !assertion.matches(NO_TEST) && !standsInItsTest(assertion, tests))
                .isEmpty();
    }

    private static boolean standsInItsTest(String assertion, Map<String, String> tests) {
        Matcher parts = ASSERTION.matcher(assertion);
        return parts.matches()
                && TestMethods.bodies(tests.getOrDefault(parts.group(2), ""), parts.group(3)).stream()
                        .anyMatch((body) -> body.contains(TestMethods.withoutSpace(parts.group(1))));
    }

    @Test
    void everyClassAndMigrationThatIsNamedExists() {
        Set<String> files = SourceTree.files("", MODULES + "src/main/(java|resources)/.*").stream()
                .map((file) -> file.getFileName().toString())
                .collect(Collectors.toSet());

        assertThat(rows)
                .flatExtracting(Row::files)
                .hasSizeGreaterThan(250)
                .filteredOn((file) -> !files.contains(file))
                .isEmpty();
    }

    @Test
    void everyEventOfTheCatalogHasItsRow() {
        List<String> events = Pattern.compile("(?m)^ {12}([A-Z]\\w+) +\\| ([a-z_, ]+)\\|")
                .matcher(SourceTree.tests().get("EventCatalogTest"))
                .results()
                .map((event) -> event.group(1) + ": " + event.group(2).strip() + " →")
                .toList();

        assertThat(events)
                .hasSize(30)
                .filteredOn((event) ->
                        rows.stream().noneMatch((row) -> row.requirement().startsWith(event)))
                .isEmpty();
    }

    @Test
    void indexCountsTheRowsOfEveryPage() {
        String counts = pages.entrySet().stream()
                .map((page) -> page.getValue().counts(page.getKey()))
                .collect(Collectors.joining("\n"));

        assertThat(index()).contains("|---|---|---|---|\n" + counts + "\n\n");
    }

    @Test
    void indexListsWhatDiffersOrIsNotMet() {
        String differences = pages.values().stream()
                .filter((page) -> page.rows().stream().anyMatch((row) -> !row.isMet()))
                .map(Page::differences)
                .collect(Collectors.joining("\n"));

        assertThat(index()).endsWith("\n" + differences);
    }

    private static String index() {
        return SourceTree.read(SourceTree.ROOT.resolve("docs/spec-coverage.md"));
    }

    private static Map<String, Page> pages() {
        Map<String, Page> pages = new LinkedHashMap<>();
        for (String name : List.of("event-flow", "duplicates-and-order", "event-bus", "push-notifications")) {
            pages.put(name, Page.of(SourceTree.read(SourceTree.ROOT.resolve("docs/spec-coverage/" + name + ".md"))));
        }
        return pages;
    }

    private record Page(String title, List<Row> rows) {

        static Page of(String text) {
            return new Page(
                    text.lines().findFirst().orElseThrow().replace("# ", ""),
                    text.lines()
                            .filter((line) -> line.startsWith("| ") && !line.equals(HEADING))
                            .map(Row::of)
                            .toList());
        }

        String counts(String name) {
            return "| [%s](spec-coverage/%s.md) | %d | %d | %d |"
                    .formatted(title, name, count("met"), count("differs:"), count("not met:"));
        }

        String differences() {
            return rows.stream()
                    .filter((row) -> !row.isMet())
                    .map((row) -> "| %s | %s |\n".formatted(row.requirement(), row.result()))
                    .collect(Collectors.joining(
                            "", "### " + title + "\n\n| the document says | result |\n|---|---|\n", ""))
                    .replace("](../", "](");
        }

        private long count(String result) {
            return rows.stream()
                    .filter((row) -> row.result().startsWith(result))
                    .count();
        }
    }

    private record Row(List<String> cells) {

        static Row of(String line) {
            return new Row(Stream.of(line.substring(1, line.length() - 1).split("\\|"))
                    .map(String::strip)
                    .toList());
        }

        boolean isComplete() {
            return cells.size() == 4 && cells.stream().noneMatch(String::isEmpty) && result().matches(RESULT);
        }

        boolean isMet() {
            return result().equals("met");
        }

        String requirement() {
            return cells.get(0);
        }

        String result() {
            return cells.get(1);
        }

        /** Files of the classes and migrations that meet the requirement. */
        List<String> files() {
            return TYPE_OR_MIGRATION
                    .matcher(cells.get(2))
                    .results()
                    .map((name) -> name.group(1))
                    .map((name) -> name.endsWith(".sql") ? name : name + ".java")
                    .toList();
        }

        List<String> assertions() {
            return List.of(cells.get(3).split("<br>"));
        }
    }
}
