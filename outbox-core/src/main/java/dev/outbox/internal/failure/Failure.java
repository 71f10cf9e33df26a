package dev.outbox.internal.failure;

import java.sql.SQLException;

/** Failure of an attempt, with the first lines of its stack trace if an exception was thrown, in a form that the database accepts. */
public record Failure(String code, String message, String trace) {

    /** Code of a delivery whose outcome cannot be stored. */
    public static final String REFUSED = "SETTLEMENT_REFUSED";

    /** Code of a delivery whose event cannot be read. */
    public static final String UNREADABLE = "UNREADABLE";

    private static final int LONGEST_CODE = 255;
    private static final int LONGEST_MESSAGE = 2000;
    private static final int LONGEST_TRACE = 800;

    /** Removes secrets, shortens long texts, and replaces characters that PostgreSQL cannot store. */
    public Failure {
        code = storable(code, LONGEST_CODE);
        message = storable(Secrets.redact(message), LONGEST_MESSAGE);
        trace = storable(trace, LONGEST_TRACE);
    }

    public Failure(String code, String message) {
        this(code, message, "");
    }

    public static Failure of(String code, Throwable ex) {
        return new Failure(code, Redaction.message(ex), Redaction.trace(ex));
    }

    /** Returns the failure to store with a delivery whose outcome {@linkplain Causes#isRefusal was refused}. */
    public static Failure ofRefusal(Throwable ex) {
        String refusal =
                ex instanceof SQLException ? "PostgreSQL refused to store the outcome" : "the outcome cannot be stored";
        return new Failure(REFUSED, "handled, but " + refusal + ": " + Redaction.message(ex));
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
