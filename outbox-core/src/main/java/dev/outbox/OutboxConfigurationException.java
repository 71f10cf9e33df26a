package dev.outbox;

import org.jspecify.annotations.Nullable;

/**
 * The application's handlers, its settings, its database, the rights of its role or the outbox tables do not fit together. Thrown at start,
 * and by a call for which the role lacks a right.
 */
public final class OutboxConfigurationException extends OutboxException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;
    private final String sql;

    /** Creates an exception from a message whose last clause, after a semicolon, is the remedy. Not for applications. */
    public OutboxConfigurationException(String message) {
        super(message, null);
        int end = message.lastIndexOf("; ");
        this.problem = end < 0 ? message : message.substring(0, end);
        this.remedy = end < 0 ? "" : message.substring(end + 2);
        this.sql = "";
    }

    /** Creates an exception. Not for applications. */
    public OutboxConfigurationException(String problem, String remedy, @Nullable Throwable cause) {
        this(problem, remedy, "", cause);
    }

    /** Creates an exception with SQL for the operator, which the message leaves out because logs would repeat it. Not for applications. */
    public OutboxConfigurationException(String problem, String remedy, String sql, @Nullable Throwable cause) {
        super(problem + "; " + remedy, cause);
        this.problem = problem;
        this.remedy = remedy;
        this.sql = sql;
    }

    /** {@return what does not fit, a sentence without a full stop} */
    public String problem() {
        return problem;
    }

    /** {@return what to do, a sentence without a capital and a full stop; empty if the problem says it} */
    public String remedy() {
        return remedy;
    }

    /** {@return the SQL that the remedy mentions, or an empty string} */
    public String sql() {
        return sql;
    }
}
