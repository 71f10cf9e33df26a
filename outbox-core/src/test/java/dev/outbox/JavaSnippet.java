package dev.outbox;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Java block of a page. Its lines must stand, one after the other, in a source file that the build compiles; blank lines and indentation do
 * not count.
 *
 * <ul>
 *   <li>{@code ...} on a line of its own stands for any lines; {@code ...} after an opening brace stands for the rest of the body.
 *   <li>An import may stand anywhere in the file.
 *   <li>A block that begins with {@code package} is the whole file.
 * </ul>
 */
record JavaSnippet(String page, List<String> lines) {

    private static final Pattern BLOCK = Pattern.compile(
            "(<!-- does not compile: [^>]+ -->\\s*)?^```java\\R(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern ELISION = Pattern.compile("(// )?\\.\\.\\.");
    private static final Pattern ELIDED_BODY = Pattern.compile("\\{ (// )?\\.\\.\\.( })?$");

    /** Finds the blocks of a page, except those that it marks as not compiling. */
    static Stream<JavaSnippet> of(String page, String text) {
        return BLOCK.matcher(text)
                .results()
                .filter((block) -> block.group(1) == null)
                .map((block) -> new JavaSnippet(page, stripped(block.group(2)).toList()));
    }

    private static Stream<String> stripped(String text) {
        return text.lines().map(String::strip).filter((line) -> !line.isEmpty());
    }

    boolean standsIn(Source source) {
        return longestMatch(source) == lines.size();
    }

    /** Names the file that has most of the block, and the first line that it lacks. */
    String difference(List<Source> sources) {
        Source best = sources.get(0);
        for (Source source : sources) {
            best = longestMatch(source) > longestMatch(best) ? source : best;
        }
        int found = longestMatch(best);
        String missing = found < lines.size() ? lines.get(found) : "the rest of the file";
        return "No compiled source has this block of " + page + ": " + lines.get(0)
                + (found == 0 ? "" : " – " + best.path() + " lacks: " + missing);
    }

    /** Counts the lines of the block that the file has in order. */
    private int longestMatch(Source source) {
        if (lines.get(0).startsWith("package ")) {
            return lines.equals(source.lines()) ? lines.size() : commonStart(source);
        }
        List<String> imports =
                lines.stream().filter((line) -> line.startsWith("import ")).toList();
        List<String> code =
                lines.stream().filter((line) -> !line.startsWith("import ")).toList();
        if (!source.lines().containsAll(imports)) {
            return 0;
        }
        int longest = 0;
        for (int start = 0; start < source.lines().size() && longest < code.size(); start++) {
            longest = Math.max(longest, matchFrom(code, source.lines(), start));
        }
        return longest == 0 ? 0 : imports.size() + longest;
    }

    private int commonStart(Source source) {
        int same = 0;
        while (same < Math.min(lines.size(), source.lines().size())
                && lines.get(same).equals(source.lines().get(same))) {
            same++;
        }
        return Math.min(same, lines.size() - 1);
    }

    private static int matchFrom(List<String> code, List<String> source, int start) {
        int at = start;
        boolean elided = false;
        for (int line = 0; line < code.size(); line++) {
            String expected = code.get(line);
            if (ELISION.matcher(expected).matches()) {
                elided = true;
                continue;
            }
            boolean body = ELIDED_BODY.matcher(expected).find();
            String text = body ? ELIDED_BODY.matcher(expected).replaceFirst("{") : expected;
            while (elided && at < source.size() && !source.get(at).equals(text)) {
                at++;
            }
            if (at >= source.size() || !source.get(at).equals(text)) {
                return line;
            }
            at++;
            elided = body;
        }
        return code.size();
    }

    /** Source file without blank lines and indentation. */
    record Source(String path, List<String> lines) {

        static Source of(String path, String text) {
            return new Source(path, stripped(text).toList());
        }
    }
}
