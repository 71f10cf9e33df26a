package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.Guarantee;
import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Page of the guarantees, whose tables list the tests that are annotated with {@link Guarantee}. */
class GuaranteesTest {

    private static final List<String> GUARANTEES = List.of("G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8");

    private static final Path PAGE = SourceTree.ROOT.resolve("docs/guarantees.md");
    private static final Pattern TABLE = Pattern.compile("(?s)(<!-- tests of (G\\d) -->\\n).*?(?=<!-- end -->)");
    private static final Pattern ANNOTATED = Pattern.compile(
            "@Guarantee\\(\\s*value = \"(\\w+)\",\\s*sentence =\\s*\"([^\"]+)\"\\)(?=[^;{]*?\\bvoid (\\w+)\\()");

    private final List<Shown> shown =
            SourceTree.files("", "(verification/)?outbox-[^/]+/src/test/java/.*Test\\.java").stream()
                    .sorted(Comparator.comparing(Path::getFileName))
                    .flatMap(GuaranteesTest::shownBy)
                    .toList();

    @Test
    void everyGuaranteeHasATest() {
        assertThat(shown.stream().map(Shown::guarantee).distinct()).containsExactlyInAnyOrderElementsOf(GUARANTEES);
    }

    @Test
    void everyAnnotationIsRead() {
        long annotations = SourceTree.tests().values().stream()
                .flatMap((source) ->
                        Pattern.compile("(?m)^ +@Guarantee\\(").matcher(source).results())
                .count();

        assertThat(shown).hasSize((int) annotations);
    }

    @Test
    void pageListsTheAnnotatedTests() throws IOException {
        String page = SourceTree.read(PAGE);
        String expected = TABLE.matcher(page)
                .replaceAll((table) -> Matcher.quoteReplacement(table.group(1) + rows(table.group(2))));
        if (Boolean.getBoolean("guarantees.update")) {
            Files.writeString(PAGE, expected);
            return;
        }

        assertThat(TABLE.matcher(page).results().map((table) -> table.group(2))).containsExactlyElementsOf(GUARANTEES);
        assertThat(page)
                .as("To rewrite docs/guarantees.md: mvn test -pl outbox-core -am -Dtest=GuaranteesTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Dguarantees.update=true")
                .isEqualTo(expected);
    }

    private String rows(String guarantee) {
        return shown.stream()
                .filter((test) -> test.guarantee().equals(guarantee))
                .map((test) -> "| %s | `%s` | %s |\n".formatted(test.sentence(), test.name(), test.module()))
                .collect(Collectors.joining("", "| what the test shows | test | module |\n|---|---|---|\n", ""));
    }

    private static Stream<Shown> shownBy(Path file) {
        String module = SourceTree.relative(file).replace("verification/", "").split("/", 2)[0];
        String type = file.getFileName().toString().replace(".java", "");
        return ANNOTATED
                .matcher(SourceTree.read(file))
                .results()
                .map((found) -> new Shown(found.group(1), found.group(2), module, type + "." + found.group(3)));
    }

    private record Shown(String guarantee, String sentence, String module, String name) {}
}
