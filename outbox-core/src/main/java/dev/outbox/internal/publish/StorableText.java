package dev.outbox.internal.publish;

import dev.outbox.InvalidEventException;
import org.jspecify.annotations.Nullable;

/** Rules for text that PostgreSQL stores, and for names. */
final class StorableText {

    static final int LONGEST_NAME = 255;

    private static final int LONGEST_QUOTE = 40;

    private StorableText() {}

    /** Returns a description of the first character that PostgreSQL refuses; {@code null} if there is none. */
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

    /** Returns a name that can be stored, or throws an {@link InvalidEventException}. */
    static String requireName(String what, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new InvalidEventException(what + " must not be missing or blank");
        }
        if (value.length() > LONGEST_NAME) {
            throw new InvalidEventException(what + " must have at most " + LONGEST_NAME + " characters, but has "
                    + value.length() + ": " + quotable(value));
        }
        String refused = refusedCharacter(value);
        if (refused != null) {
            throw new InvalidEventException(what + " contains " + refused + ", which PostgreSQL cannot store");
        }
        return value;
    }

    /** Shortens a refused text for a message, and replaces its control characters. */
    static String quotable(String text) {
        String begin = text.length() <= LONGEST_QUOTE ? text : text.substring(0, LONGEST_QUOTE) + "…";
        return begin.replaceAll("\\p{Cntrl}", "?");
    }
}
