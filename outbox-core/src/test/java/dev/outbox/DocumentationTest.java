package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests, snippets and files that the documentation names. */
class DocumentationTest {

    private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)[^)]*\\)");
    private static final Pattern ANCHOR = Pattern.compile("\\]\\((?!https?:)((?:[^)#]+\\.md)?)#([^)]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern SNIPPET =
            Pattern.compile("<!-- snippet: (\\S+) -->\\s*```\\w+\\R(.*?)\\R```", Pattern.DOTALL);

    private static final Pattern VERSION = Pattern.compile(
            "<artifactId>(outbox-[\\w-]+|spring-boot-starter-parent)</artifactId>\\s*<version>([^<]+)</version>");

    @Test
    void everyTestThatIsNamedExists() {
        Map<String, String> sources = SourceTree.tests();
        List<MatchResult> named = pages().flatMap(
                        (page) -> TEST.matcher(SourceTree.read(page)).results())
                .toList();

        assertThat(named).hasSizeGreaterThan(20);
        assertThat(named)
                .allSatisfy((name) -> assertThat(sources.getOrDefault(name.group(1), "no such class"))
                        .as(name.group())
                        .contains("void " + name.group(2) + "("));
    }

    /** The tests are in a table of the same rows and columns. */
    @Test
    void everyCellOfTheFailuresOfBrokersHasATest() {
        List<String[]> failures = table("docs/forwarding.md", "| failure |");
        List<String[]> tests = table("verification/pages.md", "| failure |");

        assertThat(failures).hasSizeGreaterThan(5).hasSameSizeAs(tests);
        for (int row = 0; row < failures.size(); row++) {
            String[] failure = failures.get(row);
            String[] named = tests.get(row);
            assertThat(named).as(failure[0]).hasSameSizeAs(failure).startsWith(failure[0]);
            for (int column = 1; column < failure.length; column++) {
                assertThat(TEST.matcher(named[column]).find())
                        .as(failure[0] + ": " + failure[column])
                        .isEqualTo(!failure[column].equals("–"));
            }
        }
    }

    /** Returns the cells of the rows below a header. */
    private static List<String[]> table(String page, String header) {
        return SourceTree.read(SourceTree.ROOT.resolve(page))
                .lines()
                .dropWhile((line) -> !line.startsWith(header))
                .skip(2)
                .takeWhile((line) -> line.startsWith("| "))
                .map((line) -> line.substring(2, line.length() - 2).split(" \\| "))
                .toList();
    }

    @Test
    void everySnippetStandsInTheFileThatItNames() {
        List<MatchResult> snippets = pages().flatMap(
                        (page) -> SNIPPET.matcher(SourceTree.read(page)).results())
                .toList();

        assertThat(snippets).hasSizeGreaterThan(2);
        assertThat(snippets)
                .allSatisfy((snippet) -> assertThat(SourceTree.read(SourceTree.ROOT.resolve(snippet.group(1))))
                        .contains(snippet.group(2)));
    }

    @Test
    void pagesAndSamplesHaveTheVersionsOfTheProject() {
        String pom = SourceTree.read(SourceTree.ROOT.resolve("pom.xml"));
        List<MatchResult> versions = Stream.concat(
                        pages(), SourceTree.files("samples", "samples/[^/]+/pom\\.xml").stream())
                .flatMap((file) -> VERSION.matcher(SourceTree.read(file)).results())
                .toList();

        assertThat(versions).hasSizeGreaterThan(10);
        assertThat(versions).allSatisfy((version) -> {
            String property = version.group(1).startsWith("outbox-") ? "version" : "spring-boot.version";
            assertThat(pom).as(version.group()).contains("<" + property + ">" + version.group(2) + "</");
        });
    }

    @Test
    void everyLinkLeadsSomewhere() {
        assertThat(pages().flatMap((page) -> LINK.matcher(withoutCode(page))
                        .results()
                        .filter((link) -> !Files.exists(target(page, link)))
                        .map((link) -> SourceTree.relative(page) + ": " + link.group())))
                .isEmpty();
    }

    @Test
    void everyAnchorIsAHeading() {
        assertThat(pages().flatMap((page) -> ANCHOR.matcher(withoutCode(page))
                        .results()
                        .filter((link) -> Files.exists(target(page, link)))
                        .filter((link) -> !anchors(target(page, link)).contains(link.group(2)))
                        .map((link) -> SourceTree.relative(page) + ": " + link.group())))
                .isEmpty();
    }

    private static Path target(Path page, MatchResult link) {
        return link.group(1).isEmpty()
                ? page
                : page.resolveSibling(link.group(1)).normalize();
    }

    /** The names that GitHub gives to the headings of a page. */
    private static List<String> anchors(Path page) {
        return HEADING.matcher(withoutCode(page))
                .results()
                .map((heading) -> heading.group(1)
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w\\- ]", "")
                        .replace(' ', '-'))
                .toList();
    }

    private static String withoutCode(Path page) {
        return CODE.matcher(SourceTree.read(page)).replaceAll("");
    }

    private static Stream<Path> pages() {
        return SourceTree.pages().stream();
    }
}
