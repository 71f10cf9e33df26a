package dev.outbox;

import java.util.regex.Pattern;

/**
 * Rule for event types: an ASCII letter, followed by letters, digits, dots, underscores and hyphens, at most 255 characters. For example
 * {@code OrderPlaced} or {@code order.placed.v1}. Upper and lower case are different types.
 */
public final class EventTypeName {

    /** The longest event type, in characters. */
    public static final int MAX_LENGTH = 255;

    /** The rule as text for messages; follows the words "an event type must". */
    public static final String RULE =
            "start with a letter and contain only letters, digits, dots, underscores and hyphens," + " at most "
                    + MAX_LENGTH + " characters, such as OrderPlaced or order.placed.v1";

    private static final Pattern VALID = Pattern.compile("[A-Za-z][A-Za-z0-9._-]*");

    private EventTypeName() {}

    /**
     * Returns whether a text can be an event type. {@link HandlerDefinition#ALL_EVENT_TYPES} is none.
     *
     * @param name the text
     * @return whether the text obeys the rule
     */
    public static boolean isValid(String name) {
        return name.length() <= MAX_LENGTH && VALID.matcher(name).matches();
    }
}
