package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Words that {@code language.txt} lists; they must not spread through code and documentation. */
class LanguageTest {

    private static final Path LIST = SourceTree.ROOT.resolve("outbox-core/src/test/resources/language.txt");
    private static final String SCANNED = ".*\\.(java|sql|ya?ml|md|properties|json|xml|html)";

    private final List<Text> texts =
            SourceTree.files("", SCANNED).stream().map(Text::of).toList();

    @Test
    void listedWordsOnlyBecomeFewer() throws IOException {
        String list = SourceTree.read(LIST);
        if (Boolean.getBoolean("language.update")) {
            Files.writeString(
                    LIST,
                    list.lines()
                            .map((line) -> Word.isListed(line)
                                    ? Word.parse(line).lowered(texts).line()
                                    : line)
                            .collect(Collectors.joining("\n", "", "\n")));
            return;
        }

        assertThat(list.lines().filter(Word::isListed).map(Word::parse))
                .hasSizeGreaterThan(20)
                .allSatisfy((word) -> assertThat(word.places(texts))
                        .as(
                                "Instead of '%s' write: %s. Where the word has become rarer, lower its count in %s: mvn test"
                                        + " -pl outbox-core -am -Dtest=LanguageTest"
                                        + " -Dsurefire.failIfNoSpecifiedTests=false -Dlanguage.update=true",
                                word.term(), word.replacement(), SourceTree.relative(LIST))
                        .hasSize(word.count()));
    }

    @Test
    void wordsAreFoundInEverySpelling() {
        Text text = new Text("a.md", "the OldWord, an old\n * word, old-words, OLD_WORD; a cold word");

        assertThat(Word.parse("old word | new word").places(List.of(text))).hasSize(4);
    }

    @Test
    void namesAreFoundAsTheyStand() {
        Text text = new Text("A.java", "new OldName(4); // an old name in OldNameTest");

        assertThat(Word.parse("OldName | NewName").places(List.of(text))).hasSize(1);
    }

    @Test
    void decisionsMayQuoteNamesInCodeFont() {
        String page = "The `OldName` is no OldName.";

        assertThat(Word.parse("OldName | NewName").places(List.of(Text.of("docs/decisions/1.md", page))))
                .hasSize(1);
    }

    /** Term with its replacement and the number of places that still have it. */
    private record Word(String term, String replacement, int count) {

        static boolean isListed(String line) {
            return line.contains("|");
        }

        static Word parse(String line) {
            String[] parts = line.split(" *\\| *");
            return new Word(parts[0], parts[1], parts.length == 3 ? Integer.parseInt(parts[2]) : 0);
        }

        List<String> places(List<Text> texts) {
            boolean anySpelling = term.equals(term.toLowerCase(Locale.ROOT));
            Pattern pattern = Pattern.compile("\\b" + Pattern.quote(term) + (anySpelling ? "s?" : "") + "\\b");
            return texts.stream()
                    .flatMap((text) -> text.places(anySpelling ? text.prose() : text.source(), term, pattern))
                    .toList();
        }

        Word lowered(List<Text> texts) {
            return new Word(term, replacement, Math.min(count, places(texts).size()));
        }

        String line() {
            return term + " | " + replacement + (count > 0 ? " | " + count : "");
        }
    }

    /** File as it stands, and in lower-case words that are one space apart. */
    private record Text(String path, String source, String prose) {

        private static final Pattern CAMEL_CASE = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
        private static final Pattern GAP = Pattern.compile("[\\s_*-]+");
        private static final Pattern CODE_FONT = Pattern.compile("`[^`\\n]*`");

        Text(String path, String source) {
            this(
                    path,
                    source,
                    GAP.matcher(CAMEL_CASE.matcher(source).replaceAll(" "))
                            .replaceAll(" ")
                            .toLowerCase(Locale.ROOT));
        }

        static Text of(Path file) {
            return of(SourceTree.relative(file), SourceTree.read(file));
        }

        static Text of(String path, String source) {
            boolean quotes = path.startsWith("docs/decisions/");
            return new Text(path, quotes ? CODE_FONT.matcher(source).replaceAll("``") : source);
        }

        Stream<String> places(String text, String term, Pattern pattern) {
            return text.contains(term)
                    ? pattern.matcher(text).results().map((found) -> path + ": …" + around(text, found) + "…")
                    : Stream.empty();
        }

        private static String around(String text, MatchResult found) {
            return text.substring(Math.max(0, found.start() - 20), Math.min(text.length(), found.end() + 20))
                    .replace('\n', ' ');
        }
    }
}
