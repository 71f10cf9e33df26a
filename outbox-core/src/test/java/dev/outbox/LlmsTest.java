package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Index of the documentation for language models (llmstxt.org), generated from the pages that people read. */
class LlmsTest {

    private static final Path FILE = SourceTree.ROOT.resolve("llms.txt");
    private static final Pattern SUMMARY = Pattern.compile("# Outbox\\R+(.*?)\\R\\R", Pattern.DOTALL);
    private static final Pattern GROUP_OR_ROW =
            Pattern.compile("^(?:(## .+)|\\| \\[([^]]+)]\\(([^)]+)\\) \\| (.+) \\|)$", Pattern.MULTILINE);
    private static final Pattern REPOSITORY = Pattern.compile("<scm.*?<url>(.*?)</url>", Pattern.DOTALL);

    /** With -Dupdate, writes the file instead of comparing it. */
    @Test
    void indexListsEveryPageOfTheDocumentation() throws IOException {
        String generated = generate();

        if (System.getProperty("update") != null) {
            Files.writeString(FILE, generated);
        }
        assertThat(SourceTree.read(FILE))
                .as("llms.txt; to update it: mvn test -pl outbox-core -am -Dtest=LlmsTest -Dupdate")
                .isEqualTo(generated)
                .contains(SourceTree.files("docs", "docs/[^/]+\\.md").stream()
                        .map(SourceTree::relative)
                        .filter((page) -> !page.equals("docs/README.md"))
                        .map((page) -> "/" + page + "): ")
                        .toList());
    }

    private static String generate() {
        StringBuilder text = new StringBuilder("# Outbox\n\n> " + first(SUMMARY, "README.md") + "\n");
        GROUP_OR_ROW.matcher(read("docs/README.md")).results().forEach((line) -> {
            if (line.group(1) != null) {
                text.append("\n").append(line.group(1)).append("\n\n");
            } else {
                text.append("- [%s](%s): %s\n".formatted(line.group(2), address(line.group(3)), line.group(4)));
            }
        });
        return text.toString();
    }

    private static String address(String link) {
        Path page = SourceTree.ROOT.resolve("docs").resolve(link).normalize();
        return "%s/%s/main/%s"
                .formatted(
                        first(REPOSITORY, "pom.xml"),
                        Files.isDirectory(page) ? "tree" : "raw",
                        SourceTree.relative(page));
    }

    private static String first(Pattern pattern, String file) {
        Matcher matcher = pattern.matcher(read(file));
        assertThat(matcher.find()).as("%s in %s", pattern, file).isTrue();
        return matcher.group(1).replaceAll("\\s+", " ");
    }

    private static String read(String file) {
        return SourceTree.read(SourceTree.ROOT.resolve(file));
    }
}
