package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.Guarantee;
import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Page of the guarantees, which lists the tests that are annotated with {@link Guarantee}. */
class GuaranteesTest {

    private static final List<String> GUARANTEES = List.of("G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8");

    private static final Path PAGE = SourceTree.ROOT.resolve("verification/guarantees.md");
    private static final Pattern PROMISE = Pattern.compile("(?m)^\\| (G\\d) \\| (.+) \\|$");
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
    void pageListsThePromisesOfTheReadmeWithTheirTests() throws IOException {
        List<MatchResult> promises = PROMISE.matcher(SourceTree.read(SourceTree.ROOT.resolve("README.md")))
                .results()
                .toList();
        String expected = promises.stream()
                .map((promise) ->
                        "\n**%s.** %s\n\n%s".formatted(promise.group(1), promise.group(2), tests(promise.group(1))))
                .collect(Collectors.joining(
                        "", "# Guarantees\n\nThis page answers which tests show each promise.\n", ""));
        if (Boolean.getBoolean("guarantees.update")) {
            Files.writeString(PAGE, expected);
            return;
        }

        assertThat(promises.stream().map((promise) -> promise.group(1))).containsExactlyElementsOf(GUARANTEES);
        assertThat(SourceTree.read(PAGE))
                .as("To rewrite verification/guarantees.md: mvn test -pl outbox-core -am -Dtest=GuaranteesTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Dguarantees.update=true")
                .isEqualTo(expected);
    }

    private String tests(String guarantee) {
        return shown.stream()
                .filter((test) -> test.guarantee().equals(guarantee))
                .map((test) -> "- %s `%s`\n".formatted(test.sentence(), test.name()))
                .collect(Collectors.joining());
    }

    private static Stream<Shown> shownBy(Path file) {
        String type = file.getFileName().toString().replace(".java", "");
        return ANNOTATED
                .matcher(SourceTree.read(file))
                .results()
                .map((found) -> new Shown(found.group(1), found.group(2), type + "." + found.group(3)));
    }

    private record Shown(String guarantee, String sentence, String name) {}
}
