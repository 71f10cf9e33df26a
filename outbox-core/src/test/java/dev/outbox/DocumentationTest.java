package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documentation names must exist. */
class DocumentationTest {

    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)[^)]*\\)");
    private static final Pattern SNIPPET =
            Pattern.compile("<!-- snippet: (\\S+) -->\\s*```\\w+\\R(.*?)\\R```", Pattern.DOTALL);

    @Test
    void everyTestThatIsNamedExists() {
        Map<String, String> sources = tests();
        List<MatchResult> named =
                pages().flatMap((page) -> TEST.matcher(read(page)).results()).toList();

        assertThat(named).hasSizeGreaterThan(20);
        assertThat(named)
                .allSatisfy((name) -> assertThat(sources.getOrDefault(name.group(1), "no such class"))
                        .as(name.group())
                        .contains("void " + name.group(2) + "("));
    }

    @Test
    void everyPromiseHasATestOfItsName() {
        String all = String.join("\n", tests().values());
        assertThat(Stream.of("g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8"))
                .allSatisfy((promise) -> assertThat(all).containsPattern("@Test\\s+void " + promise + "[A-Z]\\w+\\("));
    }

    @Test
    void everySnippetStandsInTheFileThatItNames() {
        List<MatchResult> snippets =
                pages().flatMap((page) -> SNIPPET.matcher(read(page)).results()).toList();

        assertThat(snippets).hasSizeGreaterThan(2);
        assertThat(snippets)
                .allSatisfy((snippet) ->
                        assertThat(read(PROJECT.resolve(snippet.group(1)))).contains(snippet.group(2)));
    }

    @Test
    void everyLinkLeadsSomewhere() {
        assertThat(pages().toList())
                .allSatisfy((page) -> assertThat(
                                LINK.matcher(read(page)).results().toList())
                        .allSatisfy((link) -> assertThat(
                                        page.resolveSibling(link.group(1)).normalize())
                                .exists()));
    }

    private static Map<String, String> tests() {
        return files("outbox-core", "outbox-spring-boot-starter", "outbox-sample-app")
                .filter((file) -> file.toString().endsWith("Test.java"))
                .collect(Collectors.toMap(
                        (file) -> file.getFileName().toString().replace(".java", ""),
                        DocumentationTest::read,
                        (one, other) -> one + other));
    }

    private static Stream<Path> pages() {
        return Stream.concat(
                Stream.of(PROJECT.resolve("README.md")),
                files("docs").filter((file) -> file.toString().endsWith(".md")));
    }

    private static Stream<Path> files(String... folders) {
        return Stream.of(folders).map(PROJECT::resolve).filter(Files::exists).flatMap((folder) -> {
            try (Stream<Path> found = Files.walk(folder)) {
                return found.filter((file) -> !file.toString().contains("target")).toList().stream();
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        });
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
