package dev.outbox.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Test methods in the source text of a class, for tests that check what the documentation says of them. */
final class TestMethods {

    /** Text in which a brace opens no block: text blocks, strings, characters and comments. */
    private static final Pattern LITERAL = Pattern.compile("\"\"\"[\\s\\S]*?\"\"\""
            + "|\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\""
            + "|'(?:[^'\\\\\\n]|\\\\.[^'\\n]*)'"
            + "|//[^\\n]*"
            + "|/\\*[\\s\\S]*?\\*/");

    private static final Pattern TEST = Pattern.compile("@(Test|ParameterizedTest)\\b");
    private static final Pattern DISABLED = Pattern.compile("@Disabled\\b");

    private TestMethods() {}

    /** Finds the bodies of the enabled test methods of a name; without white space, so that line breaks do not matter. */
    static List<String> bodies(String source, String name) {
        String code = LITERAL.matcher(source).replaceAll((literal) -> "x".repeat(literal.end() - literal.start()));
        Matcher declarations = Pattern.compile("\\bvoid " + name + "\\(").matcher(code);
        List<String> bodies = new ArrayList<>();
        while (declarations.find()) {
            String annotations =
                    code.substring(code.lastIndexOf("\n\n", declarations.start()) + 1, declarations.start());
            if (TEST.matcher(annotations).find() && !DISABLED.matcher(code).find()) {
                int start = code.indexOf('{', declarations.end());
                bodies.add(withoutSpace(source.substring(start, endOfBlock(code, start))));
            }
        }
        return bodies;
    }

    static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }

    private static int endOfBlock(String code, int start) {
        int depth = 0;
        int position = start;
        do {
            depth += switch (code.charAt(position++)) {
                case '{' -> 1;
                case '}' -> -1;
                default -> 0;
            };
        } while (depth > 0);
        return position;
    }
}
