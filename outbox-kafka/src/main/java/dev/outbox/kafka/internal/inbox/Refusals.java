package dev.outbox.kafka.internal.inbox;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.PublishException;
import dev.outbox.StaleSequenceException;
import java.sql.SQLException;

/** Tells failures that one event causes from those of the database or the configuration. */
final class Refusals {

    private Refusals() {}

    /** Of PostgreSQL's error codes: class 22, data; 23, a constraint; 54, a limit. */
    static boolean isAboutEvent(Throwable failure) {
        if (failure instanceof InvalidTransactionException || failure instanceof OutboxConfigurationException) {
            return false;
        }
        if (failure instanceof PublishException || failure instanceof StaleSequenceException) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String state = cause instanceof SQLException sql ? sql.getSQLState() : null;
            if (state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("54"))) {
                return true;
            }
        }
        return false;
    }
}
