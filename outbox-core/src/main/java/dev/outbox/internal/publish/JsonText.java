package dev.outbox.internal.publish;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;

/**
 * Finds in JSON text what {@code jsonb} refuses or a handler's JSON library cannot read back. JSON allows the character U+0000, a lone
 * surrogate, and a number beyond {@code numeric}; a raw value of a payload may be no JSON at all. PostgreSQL would raise an error, which
 * aborts the transaction of the caller.
 */
final class JsonText {

    /** PostgreSQL's {@code numeric} has up to 131072 digits before the point and 16383 after it; stay below both. */
    private static final int LONGEST_NUMBER = 1000;

    /** PostgreSQL parses JSON recursively, in a stack of 2 MB. */
    private static final int DEEPEST = 1000;

    private final String json;
    private final Limits limits;
    private int index;
    private int depth;

    private JsonText(String json, Limits limits) {
        this.json = json;
        this.limits = limits;
    }

    /** What handlers can read. */
    record Limits(int depth, int name, int number) {

        static Limits of(StreamReadConstraints reading) {
            return new Limits(
                    Math.min(DEEPEST, reading.getMaxNestingDepth()),
                    reading.getMaxNameLength(),
                    Math.min(LONGEST_NUMBER, reading.getMaxNumberLength()));
        }
    }

    /** Ends the scan. */
    private static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;
        private final String part;

        Refused(String part) {
            super(part, null, false, false);
            this.part = part;
        }
    }

    /** Checks JSON text. */
    static @Nullable String refusedPart(String json, Limits limits) {
        JsonText text = new JsonText(json, limits);
        try {
            text.skipSpace();
            text.scanValue();
            return text.index < json.length() ? text.noJson().part : null;
        } catch (Refused refused) {
            return refused.part;
        }
    }

    /** Scans a value and the space behind it. */
    private void scanValue() throws Refused {
        switch (peek()) {
            case '{' -> scanElements('}', true);
            case '[' -> scanElements(']', false);
            case '"' -> scanString();
            case 't' -> scanWord("true");
            case 'f' -> scanWord("false");
            case 'n' -> scanWord("null");
            default -> scanNumber();
        }
        skipSpace();
    }

    private void scanElements(char end, boolean named) throws Refused {
        index++;
        if (++depth > limits.depth()) {
            throw new Refused("more than " + limits.depth() + " nested arrays and objects");
        }
        skipSpace();
        if (!skip(end)) {
            do {
                skipSpace();
                if (named) {
                    scanName();
                }
                scanValue();
            } while (skip(','));
            require(end);
        }
        depth--;
    }

    private void scanName() throws Refused {
        int begin = index;
        scanString();
        if (index - begin - 2 > limits.name()) {
            throw new Refused("a name of more than " + limits.name() + " characters");
        }
        skipSpace();
        require(':');
        skipSpace();
    }

    private void scanString() throws Refused {
        require('"');
        while (peek() != '"') {
            boolean escaped = peek() == '\\';
            char c = nextCharacter();
            if (c == 0) {
                throw new Refused("the character U+0000");
            }
            if (Character.isSurrogate(c) && !(Character.isHighSurrogate(c) && lowSurrogateFollows(escaped))) {
                throw new Refused("a lone surrogate");
            }
        }
        index++;
    }

    /** The halves of a pair must be written in the same way, both as themselves or both escaped. */
    private boolean lowSurrogateFollows(boolean escaped) throws Refused {
        char following = peek();
        return following != '"' && (following == '\\') == escaped && Character.isLowSurrogate(nextCharacter());
    }

    /** Reads one UTF-16 unit, written as itself or escaped; which of the short escapes does not matter. */
    private char nextCharacter() throws Refused {
        char c = next();
        if (c != '\\') {
            if (c < ' ' && c != 0) {
                throw noJson();
            }
            return c;
        }
        char escaped = next();
        if (escaped != 'u') {
            if ("\"\\/bfnrt".indexOf(escaped) < 0) {
                throw noJson();
            }
            return escaped;
        }
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            char hex = next();
            int digit = hex < 0x80 ? Character.digit(hex, 16) : -1;
            if (digit < 0) {
                throw noJson();
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private void scanNumber() throws Refused {
        skip('-');
        boolean zero = peek() == '0';
        int digits = scanDigits();
        if (zero && digits > 1) {
            throw noJson();
        }
        if (skip('.')) {
            digits += scanDigits();
        }
        if (skip('e') || skip('E')) {
            if (!skip('-')) {
                skip('+');
            }
            digits += scanExponent();
        }
        if (digits > limits.number()) {
            throw new Refused("a number of more than " + limits.number() + " digits or with a huge exponent");
        }
    }

    private int scanDigits() throws Refused {
        int begin = index;
        while (peek() >= '0' && peek() <= '9') {
            index++;
        }
        if (index == begin) {
            throw noJson();
        }
        return index - begin;
    }

    private int scanExponent() throws Refused {
        int begin = index;
        int digits = scanDigits();
        return digits > 6 ? limits.number() : Integer.parseInt(json, begin, index, 10);
    }

    private void scanWord(String word) throws Refused {
        if (!json.startsWith(word, index)) {
            throw noJson();
        }
        index += word.length();
    }

    private void skipSpace() {
        while (index < json.length() && " \t\r\n".indexOf(json.charAt(index)) >= 0) {
            index++;
        }
    }

    private boolean skip(char expected) {
        boolean there = peek() == expected;
        if (there) {
            index++;
        }
        return there;
    }

    private void require(char expected) throws Refused {
        if (!skip(expected)) {
            throw noJson();
        }
    }

    private char next() throws Refused {
        if (index >= json.length()) {
            throw noJson();
        }
        return json.charAt(index++);
    }

    /** The next character, or U+0000 at the end, where no rule allows it. */
    private char peek() {
        return index < json.length() ? json.charAt(index) : 0;
    }

    private Refused noJson() {
        return new Refused("text that is no JSON");
    }
}
