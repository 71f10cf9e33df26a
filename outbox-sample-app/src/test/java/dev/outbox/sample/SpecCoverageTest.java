package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages of coverage: every row has a result and its tests, and every test, which is enabled, asserts what {@code assertions.txt} quotes. The
 * event flow has a row for each event of the catalogue. Whether an assertion shows what its row says, only a reader can judge.
 */
class SpecCoverageTest {

    private static final String FOLDER = "outbox-sample-app/spec-coverage/";
    private static final String ASSERTIONS = "outbox-sample-app/src/test/resources/spec-coverage/assertions.txt";
    private static final String HEADING = "requirement | result | test";
    private static final Pattern RESULT = Pattern.compile("met|(differs|not met): .{10,}");
    private static final Pattern TESTS = Pattern.compile("`\\w+Test\\.\\w+`(, `\\w+Test\\.\\w+`)*");
    private static final Pattern NO_TEST = Pattern.compile("\\*No test\\*: .{10,}");
    private static final Pattern NAME = Pattern.compile("`(\\w+Test\\.\\w+)`");

    private final List<Row> rows = SourceTree.files(FOLDER, FOLDER + ".*\\.md").stream()
            .flatMap((page) -> SourceTree.read(page).lines())
            .filter((line) -> line.contains(" | ") && !line.equals(HEADING))
            .map(Row::of)
            .toList();

    private final List<Quote> quotes = SourceTree.read(SourceTree.ROOT.resolve(ASSERTIONS))
            .lines()
            .filter((line) -> !line.startsWith("#"))
            .map(Quote::of)
            .toList();

    @Test
    void everyRowHasAnHonestResultAndItsTests() {
        assertThat(rows)
                .hasSizeGreaterThan(300)
                .filteredOn((row) -> !row.isComplete())
                .isEmpty();
    }

    @Test
    void everyTestThatIsNamedHasAnAssertion() {
        Set<String> quoted = quotes.stream().map(Quote::test).collect(Collectors.toSet());

        assertThat(rows.stream().flatMap(Row::tests).collect(Collectors.toSet()))
                .isEqualTo(quoted);
    }

    @Test
    void everyAssertionStandsInItsTest() {
        Map<String, String> tests = SourceTree.tests();

        assertThat(quotes)
                .hasSizeGreaterThan(300)
                .filteredOn((quote) -> !quote.standsIn(tests))
                .isEmpty();
    }

    @Test
    void everyEventOfTheCatalogHasItsRow() {
        List<String> events = Pattern.compile("(?m)^ {12}([A-Z]\\w+) +\\| ([a-z_, ]+) \\| ([A-Z][A-Za-z, ]+)$")
                .matcher(SourceTree.tests().get("EventCatalogTest"))
                .results()
                .map((event) -> "%s: %s → %s"
                        .formatted(
                                event.group(1),
                                event.group(2).strip(),
                                event.group(3).toLowerCase(Locale.ROOT)))
                .toList();

        assertThat(events)
                .hasSize(30)
                .isSubsetOf(rows.stream()
                        .map((row) -> row.requirement().replaceAll(" \\([^)]*\\)", ""))
                        .toList());
    }

    private record Row(List<String> cells) {

        static Row of(String line) {
            return new Row(Stream.of(line.split(" \\| ")).map(String::strip).toList());
        }

        boolean isComplete() {
            return cells.size() == 3
                    && !requirement().isEmpty()
                    && RESULT.matcher(cells.get(1)).matches()
                    && (TESTS.matcher(cells.get(2)).matches()
                            || NO_TEST.matcher(cells.get(2)).matches());
        }

        String requirement() {
            return cells.get(0);
        }

        Stream<String> tests() {
            return NAME.matcher(cells.get(cells.size() - 1)).results().map((name) -> name.group(1));
        }
    }

    /** Part of an assertion, and the test that makes it. */
    private record Quote(String test, String assertion) {

        static Quote of(String line) {
            String[] parts = line.split(": ", 2);
            return new Quote(parts[0], parts[1]);
        }

        boolean standsIn(Map<String, String> tests) {
            String[] name = test.split("\\.");
            return assertion.length() >= 10
                    && TestMethods.assertions(tests.getOrDefault(name[0], ""), name[1]).stream()
                            .anyMatch((statement) -> statement.contains(TestMethods.withoutSpace(assertion)));
        }
    }
}
