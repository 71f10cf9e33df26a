package dev.outbox.publish;

import org.jspecify.annotations.Nullable;

/**
 * Finds in JSON text what {@code jsonb} refuses although JSON allows it: the character U+0000, a lone surrogate, and a number
 * beyond {@code numeric}. PostgreSQL would raise an error, which aborts the transaction of the caller.
 */
final class JsonText {

    /** PostgreSQL's {@code numeric} has up to 131072 digits before the point and 16383 after it; stay below both. */
    private static final int LONGEST_NUMBER = 1000;

    private static final int LARGEST_EXPONENT = 10_000;

    private final String json;
    private int index;

    private JsonText(String json) {
        this.json = json;
    }

    /**
     * Checks JSON text that a JSON library wrote.
     *
     * @param json well-formed JSON
     * @return what PostgreSQL would refuse, or {@code null} if it is fine
     */
    static @Nullable String refusedPart(String json) {
        return new JsonText(json).scan();
    }

    /**
     * Checks text for a {@code text} column.
     *
     * @param text the text
     * @return what PostgreSQL would refuse, or {@code null} if it is fine
     */
    static @Nullable String refusedCharacter(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                return "the character U+0000";
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return "a lone surrogate";
            }
        }
        return null;
    }

    private @Nullable String scan() {
        while (index < json.length()) {
            char c = json.charAt(index);
            String refused = null;
            if (c == '"') {
                refused = scanString();
            } else if (c == '-' || isDigit(c)) {
                refused = scanNumber();
            } else {
                index++;
            }
            if (refused != null) {
                return refused;
            }
        }
        return null;
    }

    private @Nullable String scanString() {
        index++;
        while (json.charAt(index) != '"') {
            boolean escaped = json.charAt(index) == '\\';
            char c = nextCharacter();
            if (c == 0) {
                return "the character U+0000";
            }
            if (Character.isSurrogate(c) && !(Character.isHighSurrogate(c) && lowSurrogateFollows(escaped))) {
                return "a lone surrogate";
            }
        }
        index++;
        return null;
    }

    /** The halves of a pair must be written in the same way, both as themselves or both escaped. */
    private boolean lowSurrogateFollows(boolean escaped) {
        char following = json.charAt(index);
        return following != '"' && (following == '\\') == escaped && Character.isLowSurrogate(nextCharacter());
    }

    /** Reads one UTF-16 unit, written as itself or escaped; of the short escapes none matters here. */
    private char nextCharacter() {
        char c = json.charAt(index++);
        if (c != '\\') {
            return c;
        }
        char escaped = json.charAt(index++);
        if (escaped != 'u') {
            return escaped;
        }
        index += 4;
        return (char) Integer.parseInt(json, index - 4, index, 16);
    }

    private @Nullable String scanNumber() {
        int begin = index;
        int exponent = -1;
        while (index < json.length() && isNumberPart(json.charAt(index))) {
            if (json.charAt(index) == 'e' || json.charAt(index) == 'E') {
                exponent = index + 1;
            }
            index++;
        }
        boolean tooLong = index - begin > LONGEST_NUMBER;
        boolean tooLarge = exponent >= 0 && isLargeExponent(json.substring(exponent, index));
        return tooLong || tooLarge
                ? "a number of more than " + LONGEST_NUMBER + " digits or with a huge exponent"
                : null;
    }

    private static boolean isLargeExponent(String exponent) {
        String digits = exponent.startsWith("+") || exponent.startsWith("-") ? exponent.substring(1) : exponent;
        return digits.length() > 6 || Integer.parseInt(digits) > LARGEST_EXPONENT;
    }

    private static boolean isNumberPart(char c) {
        return isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
