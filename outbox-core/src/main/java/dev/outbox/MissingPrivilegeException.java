package dev.outbox;

import org.jspecify.annotations.Nullable;

/** The role that the application connects with lacks a privilege on the outbox tables. */
public final class MissingPrivilegeException extends OutboxException {

    private static final long serialVersionUID = 1L;

    private final String refusal;
    private final String remedy;

    /**
     * Creates the error.
     *
     * @param refusal what was refused, with the privilege or the table that it is about
     * @param remedy what to grant, or to configure instead
     * @param cause the error of the database, or {@code null} if nothing was tried
     */
    public MissingPrivilegeException(String refusal, String remedy, @Nullable Throwable cause) {
        super(refusal + "; " + remedy, cause);
        this.refusal = refusal;
        this.remedy = remedy;
    }

    /**
     * Returns what was refused.
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
