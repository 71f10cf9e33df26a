package dev.outbox.console.internal.page;

/** Payload with a line for each value. Keeps every other character as it is stored, so that numbers do not change. Cuts what is too long for a page. */
final class IndentedJson {

    private static final int LONGEST = 100_000;
    private static final int LONGEST_TEXT = 300_000;
    private static final int DEEPEST = 32;

    private final String json;
    private final StringBuilder text = new StringBuilder();
    private int depth;
    private boolean quoted;

    private IndentedJson(String json) {
        this.json = json;
    }

    static String of(String json) {
        return json.length() > LONGEST ? json.substring(0, LONGEST) + rest(json) : new IndentedJson(json).indented();
    }

    private static String rest(String json) {
        return " … (" + json.length() + " characters)";
    }

    private String indented() {
        for (int i = 0; i < json.length(); i++) {
            if (text.length() >= LONGEST_TEXT) {
                return text.append(rest(json)).toString();
            }
            char next = json.charAt(i);
            if (quoted) {
                i = quoted(i, next);
            } else {
                structure(i, next);
            }
        }
        return text.toString();
    }

    private int quoted(int at, char next) {
        text.append(next);
        if (next == '\\' && at + 1 < json.length()) {
            text.append(json.charAt(at + 1));
            return at + 1;
        }
        quoted = next != '"';
        return at;
    }

    private void structure(int at, char next) {
        switch (next) {
            case '{', '[' -> {
                text.append(next);
                depth++;
                if (!isClosed(at + 1)) {
                    line();
                }
            }
            case '}', ']' -> {
                depth = Math.max(0, depth - 1);
                if (!"{[".contains(text.substring(Math.max(0, text.length() - 1)))) {
                    line();
                }
                text.append(next);
            }
            case ',' -> {
                text.append(next);
                line();
            }
            case ':' -> text.append(": ");
            case ' ', '\n', '\r', '\t' -> {}
            default -> {
                text.append(next);
                quoted = next == '"';
            }
        }
    }

    private boolean isClosed(int at) {
        return at < json.length() && (json.charAt(at) == '}' || json.charAt(at) == ']');
    }

    private void line() {
        text.append('\n').append("  ".repeat(Math.min(depth, DEEPEST)));
    }
}
