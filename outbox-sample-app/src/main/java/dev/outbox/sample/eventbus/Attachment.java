package dev.outbox.sample.eventbus;

import java.util.Set;

/**
 * Rows that a message names by id. A transport between services that share no database attaches them to the message, so that the domain
 * code of the receiver finds them in its own database.
 */
public interface Attachment {

    /** Name of the header with the rows. */
    String HEADER = "attachment";

    /** Returns the types of the messages that have such rows. */
    Set<String> messageTypes();

    /**
     * Reads the rows from the database of the sender, as JSON.
     *
     * @param payload the payload of the message, as JSON
     */
    String read(String payload);
}
