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

    private static final Pattern ASSERTION = Pattern.compile("\\b(assert|await|verify)\\w*\\(|\\.check\\(");
    private static final Pattern TEST = Pattern.compile("@(Test|ParameterizedTest)\\b");
    private static final Pattern DISABLED = Pattern.compile("@Disabled");

    private TestMethods() {}

    /** Finds the statements that assert something in the enabled test methods of a name; without comments and white space. */
    static List<String> assertions(String source, String name) {
        String text = LITERAL.matcher(source)
                .replaceAll((literal) -> literal.group().startsWith("/")
                        ? " ".repeat(literal.group().length())
                        : Matcher.quoteReplacement(literal.group()));
        String code = LITERAL.matcher(text)
                .replaceAll((literal) -> "x".repeat(literal.group().length()));
        Matcher declarations = Pattern.compile("\\bvoid " + name + "\\(").matcher(code);
        List<String> assertions = new ArrayList<>();
        while (declarations.find()) {
            String annotations =
                    code.substring(code.lastIndexOf("\n\n", declarations.start()) + 1, declarations.start());
            if (TEST.matcher(annotations).find() && !DISABLED.matcher(code).find()) {
                int start = code.indexOf('{', declarations.end());
                int end = endOfBlock(code, start);
                for (int next = code.indexOf(';', start) + 1;
                        next > 0 && next < end;
                        next = code.indexOf(';', start) + 1) {
                    if (ASSERTION.matcher(code.substring(start, next)).find()) {
                        assertions.add(withoutSpace(text.substring(start, next)));
                    }
                    start = next;
                }
            }
        }
        return assertions;
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
