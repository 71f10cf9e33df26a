package dev.outbox.internal.publish;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * Finds in JSON text what {@code jsonb} refuses or a handler cannot read back. JSON allows the character U+0000, an unpaired surrogate
 * and a number beyond {@code numeric}, and a raw value may be no JSON at all. An error of PostgreSQL would abort the caller's transaction.
 */
final class JsonText {

    private static final String NO_JSON = "text that is no JSON";

    /** PostgreSQL's {@code numeric} has up to 131072 digits before the point and 16383 after it; stay below both. */
    private static final int LONGEST_NUMBER = 1000;

    private static final int LONGEST_EXPONENT = 6;

    /** PostgreSQL parses JSON recursively, in a stack of 2 MB. */
    private static final int DEEPEST = 1000;

    /** Has no limits of its own: those below name what they refuse. */
    private static final JsonFactory STRICT_JSON = JsonFactory.builder()
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private JsonText() {}

    /** What handlers can read; and the size of a payload whose exponents are written out, as {@code jsonb} returns them. */
    record Limits(int depth, int name, int number, int size) {

        static Limits of(StreamReadConstraints reading, int size) {
            return new Limits(
                    Math.min(DEEPEST, reading.getMaxNestingDepth()),
                    reading.getMaxNameLength(),
                    Math.min(LONGEST_NUMBER, reading.getMaxNumberLength()),
                    size);
        }
    }

    /** Returns a description of the first part that cannot be stored and read again; {@code null} if there is none. */
    static @Nullable String refusedPart(String json, Limits limits) {
        // Also a surrogate that is escaped while its other half is not: the decoded pair would look complete.
        String refused = StorableText.refusedCharacter(json);
        if (refused != null) {
            return refused;
        }
        try (JsonParser parser = STRICT_JSON.createParser(ObjectReadContext.empty(), json)) {
            return refusedToken(parser, limits, json.contains("\\u"));
        } catch (JacksonException ex) {
            return NO_JSON;
        }
    }

    private static @Nullable String refusedToken(JsonParser parser, Limits limits, boolean escapes) {
        int depth = 0;
        long digits = 0;
        do {
            JsonToken token = parser.nextToken();
            if (token == null) {
                return NO_JSON;
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            if (depth > limits.depth()) {
                return "more than " + limits.depth() + " nested arrays and objects";
            }
            String refused = refusedPart(token, parser, limits, escapes);
            if (refused != null) {
                return refused;
            }
            if (token.isNumeric() && (digits += exponent(parser.getString())) > limits.size()) {
                return "more than " + limits.size()
                        + " bytes (outbox.publisher.max-payload-size) once the exponents of its numbers are written out, at "
                        + parser.streamReadContext().pathAsPointer();
            }
        } while (depth > 0);
        return parser.nextToken() == null ? null : NO_JSON;
    }

    private static @Nullable String refusedPart(JsonToken token, JsonParser parser, Limits limits, boolean escapes) {
        return switch (token) {
            case PROPERTY_NAME ->
                parser.currentName().length() > limits.name()
                        ? "a name of more than " + limits.name() + " characters"
                        : escapes ? StorableText.refusedCharacter(parser.currentName()) : null;
            case VALUE_STRING -> escapes ? StorableText.refusedCharacter(parser.getString()) : null;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
                isTooLong(parser.getString(), limits)
                        ? "a number of more than " + limits.number() + " digits or with a huge exponent"
                        : null;
            default -> null;
        };
    }

    /** Counts an exponent as that many more digits. */
    private static boolean isTooLong(String number, Limits limits) {
        int end = endOfMantissa(number);
        if (end == number.length() && end <= limits.number()) {
            return false;
        }
        int digits = number.substring(0, end).replaceAll("[-.]", "").length();
        return digits + exponent(number) > limits.number();
    }

    private static int endOfMantissa(String number) {
        int end = Math.max(number.indexOf('e'), number.indexOf('E'));
        return end < 0 ? number.length() : end;
    }

    /** Returns how many digits an exponent stands for. */
    private static int exponent(String number) {
        int end = endOfMantissa(number);
        if (end == number.length()) {
            return 0;
        }
        String exponent = number.substring(end + 1).replaceAll("[+-]", "");
        return exponent.length() > LONGEST_EXPONENT ? Integer.MAX_VALUE / 2 : Integer.parseInt(exponent);
    }
}
