package dev.outbox.internal.failure;

import org.jspecify.annotations.Nullable;

/** Failure of an attempt, in a form that the database accepts. */
public record Failure(String code, String message) {

    private static final int LONGEST_CODE = 255;
    private static final int LONGEST_MESSAGE = 2000;

    /** Removes secrets, shortens long texts, and replaces characters that PostgreSQL cannot store. */
    public Failure {
        code = storable(code, LONGEST_CODE);
        message = storable(Secrets.redact(message), LONGEST_MESSAGE);
    }

    /** Returns the code of a failure, if there was one. */
    public static @Nullable String codeOf(@Nullable Failure failure) {
        return failure == null ? null : failure.code;
    }

    /** Returns the message of a failure, if there was one. */
    public static @Nullable String messageOf(@Nullable Failure failure) {
        return failure == null ? null : failure.message;
    }

    private static String storable(String text, int longest) {
        StringBuilder storable = new StringBuilder(Math.min(text.length(), longest));
        int index = 0;
        while (index < text.length()) {
            int point = text.codePointAt(index);
            if (storable.length() + Character.charCount(point) > longest) {
                break;
            }
            boolean refused = point == 0 || Character.getType(point) == Character.SURROGATE;
            storable.appendCodePoint(refused ? '\uFFFD' : point);
            index += Character.charCount(point);
        }
        return storable.toString();
    }
}
