package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.JavaSnippet.Source;
import dev.outbox.testing.SourceTree;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The Java of the documentation compiles, because it is part of what the build compiles. */
class JavaSnippetsTest {

    private static final String COMPILED = "((verification/)?outbox-.*/src/(main|test|it)|samples)/.*\\.java";

    private static final Source SOURCE = Source.of("Shop.java", """
            package shop;

            import java.util.List;
            import java.util.Set;

            class Shop {
                void open() {
                    one();
                    two();
                    three();
                }

                void close() {
                    four();
                }
            }
            """);

    @Test
    void everyBlockStandsInACompiledSource() {
        List<Source> sources = SourceTree.files("", COMPILED).stream()
                .map((file) -> Source.of(SourceTree.relative(file), SourceTree.read(file)))
                .toList();
        List<JavaSnippet> snippets = SourceTree.pages().stream()
                .flatMap((page) -> JavaSnippet.of(SourceTree.relative(page), SourceTree.read(page)))
                .toList();

        assertThat(snippets).hasSizeGreaterThan(30);
        assertThat(snippets)
                .filteredOn((snippet) -> sources.stream().noneMatch(snippet::standsIn))
                .extracting((snippet) -> snippet.difference(sources))
                .isEmpty();
    }

    @Test
    void ignoresIndentationAndBlankLines() {
        assertThat(snippet("one();\n\n        two();").standsIn(SOURCE)).isTrue();
    }

    @Test
    void refusesLinesThatAreNotNeighbours() {
        JavaSnippet snippet = snippet("one();\nthree();");

        assertThat(snippet.standsIn(SOURCE)).isFalse();
        assertThat(snippet.difference(List.of(SOURCE)))
                .isEqualTo("No compiled source has this block of page.md: one(); – Shop.java lacks: three();");
    }

    @Test
    void refusesWhatIsNowhere() {
        assertThat(snippet("five();").standsIn(SOURCE)).isFalse();
    }

    @Test
    void leavesOutLinesAndBodies() {
        assertThat(snippet("void open() {\n...\nthree();").standsIn(SOURCE)).isTrue();
        assertThat(snippet("void open() { ... }\nvoid close() {\nfour();").standsIn(SOURCE))
                .isTrue();
        assertThat(snippet("void close() { ... }\nvoid open() {").standsIn(SOURCE))
                .isFalse();
    }

    @Test
    void findsImportsAnywhere() {
        assertThat(snippet("import java.util.Set;\n\none();").standsIn(SOURCE)).isTrue();
        assertThat(snippet("import java.util.Map;\n\none();").standsIn(SOURCE)).isFalse();
    }

    @Test
    void comparesAPackageWithTheWholeFile() {
        String whole = String.join("\n", SOURCE.lines());

        assertThat(snippet(whole).standsIn(SOURCE)).isTrue();
        assertThat(snippet(whole.replace("two();\n", "")).standsIn(SOURCE)).isFalse();
        assertThat(snippet("package shop;\nimport java.util.List;").standsIn(SOURCE))
                .isFalse();
    }

    @Test
    void leavesOutBlocksThatAreMarked() {
        String page = "<!-- does not compile: two records -->\n```java\nfive();\n```\n\n```java\none();\n```\n";

        assertThat(JavaSnippet.of("page.md", page).flatMap((snippet) -> snippet.lines().stream()))
                .containsExactly("one();");
    }

    private static JavaSnippet snippet(String code) {
        return JavaSnippet.of("page.md", "```java\n" + code + "\n```\n")
                .findFirst()
                .orElseThrow();
    }
}
