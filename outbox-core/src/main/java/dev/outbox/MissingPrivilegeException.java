package dev.outbox;

import org.jspecify.annotations.Nullable;

/** The database role of the application lacks a privilege on the outbox tables. */
public final class MissingPrivilegeException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    private final String refusal;
    private final String remedy;

    /**
     * Creates an exception. Not for applications.
     *
     * @param refusal what the database refuses, with the privilege or the table
     * @param remedy what to grant, or to configure instead
     * @param cause the exception of the database, or {@code null} if no statement ran
     */
    public MissingPrivilegeException(String refusal, String remedy, @Nullable Throwable cause) {
        super(refusal + "; " + remedy, cause);
        this.refusal = refusal;
        this.remedy = remedy;
    }

    /**
     * Returns what the database refuses.
     *
     * @return a sentence without a full stop
     */
    public String refusal() {
        return refusal;
    }

    /**
     * Returns what to do.
     *
     * @return a sentence without a capital and a full stop
     */
    public String remedy() {
        return remedy;
    }
}
