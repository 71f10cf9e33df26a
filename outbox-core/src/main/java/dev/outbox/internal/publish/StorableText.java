package dev.outbox.internal.publish;

import org.jspecify.annotations.Nullable;

/** Text for a {@code text} column. */
final class StorableText {

    private static final int LONGEST_QUOTE = 40;

    private StorableText() {}

    /** Checks text. */
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

    /** Cuts a refused text for a message, and replaces its control characters. */
    static String quotable(String text) {
        String begin = text.length() <= LONGEST_QUOTE ? text : text.substring(0, LONGEST_QUOTE) + "…";
        return begin.replaceAll("\\p{Cntrl}", "?");
    }
}
