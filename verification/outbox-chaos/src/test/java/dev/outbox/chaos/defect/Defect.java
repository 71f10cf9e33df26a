package dev.outbox.chaos.defect;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Change of the library's source that breaks one of its promises.
 *
 * @param name a few words that say what is broken
 * @param promise the broken promise, such as {@code G3}
 * @param edits what is changed
 * @param tests the simple names of the test classes of which at least one must fail
 */
record Defect(String name, String promise, List<Edit> edits, List<String> tests) {

    /**
     * Replacement of a text that occurs exactly once in its file, however it is spaced.
     *
     * @param file name of a source file or an SQL file of the core
     * @param text what the file says
     * @param replacement what it says with the defect
     */
    record Edit(String file, String text, String replacement) {

        boolean isResource() {
            return file.endsWith(".sql");
        }

        String applyTo(String source) {
            String anySpacing =
                    Stream.of(text.strip().split("\\s+")).map(Pattern::quote).collect(joining("\\s+"));
            List<MatchResult> found =
                    Pattern.compile(anySpacing).matcher(source).results().toList();
            if (found.size() != 1) {
                throw new IllegalStateException("The text must occur once in " + file + ", but occurs " + found.size()
                        + " times; adapt the defect to the source:\n" + text);
            }
            MatchResult place = found.get(0);
            return source.substring(0, place.start()) + replacement + source.substring(place.end());
        }
    }

    static Defect of(String name, String promise, String file, String text, String replacement, String... tests) {
        return new Defect(name, promise, List.of(new Edit(file, text, replacement)), List.of(tests));
    }

    @Override
    public String toString() {
        return name;
    }
}
