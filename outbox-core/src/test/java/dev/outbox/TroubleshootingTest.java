package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Page of mistakes, whose rows quote messages; another page names the tests that assert them. */
class TroubleshootingTest {

    private static final Path PAGE = SourceTree.ROOT.resolve("docs/troubleshooting.md");
    private static final Path TESTS = SourceTree.ROOT.resolve("verification/pages.md");
    private static final String REPORTS = "outbox-spring-boot-starter/src/test/resources/failures/";
    private static final Pattern MESSAGE = Pattern.compile("^\\| (`.+?`) \\|.*", Pattern.MULTILINE);
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final Pattern MISTAKE = Pattern.compile("(?s)@(?:Parameterized)?Test\\s.*?void (\\w+)\\(");

    private final Map<String, String> sources = SourceTree.tests();
    private final List<Row> rows =
            MESSAGE.matcher(section()).results().map(Row::of).toList();

    /** Row of the table of tests: the quoted message, and the tests that assert it. */
    private record Row(String message, List<String> tests) {

        static Row of(MatchResult row) {
            return new Row(
                    row.group(1).replaceAll("^`{1,2} ?| ?`{1,2}$", ""),
                    TEST.matcher(row.group())
                            .results()
                            .map((test) -> test.group(1) + "." + test.group(2))
                            .toList());
        }
    }

    private static String section() {
        String page = SourceTree.read(TESTS);
        int begin = page.indexOf("## Troubleshooting");
        return page.substring(begin, page.indexOf("\n## ", begin));
    }

    @Test
    void everyRowHasItsTests() {
        assertThat(MESSAGE.matcher(SourceTree.read(PAGE))
                        .results()
                        .map((row) -> Row.of(row).message()))
                .as("messages of docs/troubleshooting.md, and of the table of tests in verification/pages.md")
                .containsExactlyInAnyOrderElementsOf(
                        rows.stream().map(Row::message).toList());
        assertThat(rows).allSatisfy((row) -> assertThat(row.tests()).isNotEmpty());
    }

    @Test
    void everyMessageIsAssertedByTheTestOfItsRow() {
        assertThat(rows).hasSizeGreaterThan(35);
        assertThat(rows)
                .allSatisfy((row) -> assertThat(row.message().split("…", -1))
                        .allSatisfy((part) -> assertThat(textsOf(row)).contains(part.strip())));
    }

    @Test
    void everyMistakeHasARow() {
        List<String> named =
                rows.stream().flatMap((row) -> row.tests().stream()).toList();

        assertThat(sources.entrySet().stream()
                        .filter((source) -> source.getKey().endsWith("MistakesTest"))
                        .flatMap((source) -> MISTAKE.matcher(source.getValue())
                                .results()
                                .map((test) -> source.getKey() + "." + test.group(1))))
                .hasSizeGreaterThan(25)
                .isSubsetOf(named);
    }

    /** Returns the string literals of the classes, joined where the source splits them, and the reports that they compare with. */
    private String textsOf(Row row) {
        return row.tests().stream()
                .map((test) -> Objects.requireNonNull(sources.get(test.substring(0, test.indexOf('.'))), test))
                .flatMap((source) -> Stream.concat(
                        Stream.of(source.replaceAll("\"\\s*\\+\\s*\"", "")
                                .replaceAll("\\\\\\n\\s*", "")
                                .replace("\\\"", "\"")
                                .replace("\\\\", "")),
                        SourceTree.files(REPORTS, REPORTS + ".*\\.txt").stream()
                                .filter((file) -> source.contains(
                                        "\"" + file.getFileName().toString().replace(".txt", "") + "\""))
                                .map((file) -> SourceTree.read(file).replaceAll("\\s+", " "))))
                .collect(Collectors.joining("\n"));
    }
}
