package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Page of mistakes, whose rows quote messages that the named tests assert. */
class TroubleshootingTest {

    private static final Path PAGE = SourceTree.ROOT.resolve("docs/troubleshooting.md");
    private static final String REPORTS = "outbox-spring-boot-starter/src/test/resources/failures/";
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final Pattern MISTAKE = Pattern.compile("(?s)@(?:Parameterized)?Test\\s.*?void (\\w+)\\(");

    private final Map<String, String> sources = SourceTree.tests();
    private final List<Row> rows = SourceTree.read(PAGE)
            .lines()
            .filter((line) -> line.startsWith("| ") && TEST.matcher(line).find())
            .map(Row::of)
            .toList();

    /** Row of a table: the quoted message, and the tests in the last cell. */
    private record Row(String message, List<String> tests) {

        static Row of(String line) {
            String[] cells = line.split(" \\| ", -1);
            return new Row(
                    cells[0].replaceFirst("^\\| `{1,2} ?", "").replaceFirst(" ?`{1,2}$", ""),
                    TEST.matcher(cells[cells.length - 1])
                            .results()
                            .map((test) -> test.group(1) + "." + test.group(2))
                            .toList());
        }
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
