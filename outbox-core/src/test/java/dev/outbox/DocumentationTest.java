package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests, snippets and files that the documentation names. */
class DocumentationTest {

    private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)[^)]*\\)");
    private static final Pattern SNIPPET =
            Pattern.compile("<!-- snippet: (\\S+) -->\\s*```\\w+\\R(.*?)\\R```", Pattern.DOTALL);

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
    void everyLinkLeadsSomewhere() {
        assertThat(pages())
                .allSatisfy((page) -> assertThat(
                                LINK.matcher(SourceTree.read(page)).results().toList())
                        .allSatisfy((link) -> assertThat(
                                        page.resolveSibling(link.group(1)).normalize())
                                .exists()));
    }

    private static Stream<Path> pages() {
        return SourceTree.pages().stream();
    }
}
