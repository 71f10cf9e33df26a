package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;
import org.jspecify.annotations.Nullable;

/** Thrown at start when the outbox cannot use the database that it is given. Nothing was changed there. */
public final class DatabaseSetupException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    /** Creates an exception from two sentences without a full stop; the remedy begins in lower case. */
    public DatabaseSetupException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + "; " + remedy, cause);
        this.problem = problem;
        this.remedy = remedy;
    }

    /** Returns what is wrong, as a sentence without a full stop. */
    public String problem() {
        return problem;
    }

    /** Returns what to do, as a sentence without a capital and a full stop. */
    public String remedy() {
        return remedy;
    }
}
