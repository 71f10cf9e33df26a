package dev.outbox.internal.failure;

/** Failure of an attempt, in a form that the database accepts. */
public record Failure(String code, String message) {

    private static final int LONGEST_CODE = 255;
    private static final int LONGEST_MESSAGE = 2000;

    /** Removes secrets, shortens long texts, and replaces characters that PostgreSQL cannot store. */
    public Failure {
        code = storable(code, LONGEST_CODE);
        message = storable(Secrets.redact(message), LONGEST_MESSAGE);
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
