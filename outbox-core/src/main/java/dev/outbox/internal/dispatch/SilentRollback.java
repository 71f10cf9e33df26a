package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import java.util.function.BooleanSupplier;
import org.springframework.transaction.UnexpectedRollbackException;

/** Fails an attempt whose last transaction was rolled back without an exception: its work is lost. */
public final class SilentRollback {

    private final Runnable beginWatch;
    private final BooleanSupplier endWatch;

    /** Creates a check that watches the transactions of the calling thread. */
    public SilentRollback(Runnable beginWatch, BooleanSupplier endWatch) {
        this.beginWatch = beginWatch;
        this.endWatch = endWatch;
    }

    /** Returns a handler with the check around it. */
    public HandlerDefinition around(HandlerDefinition handler) {
        return handler.decorated((own) -> (payload, envelope, context) -> {
            boolean rolledBack;
            beginWatch.run();
            try {
                own.handle(payload, envelope, context);
            } finally {
                rolledBack = endWatch.getAsBoolean();
            }
            if (rolledBack) {
                throw new UnexpectedRollbackException(
                        "the handler returned, but its last transaction was rolled back because of setRollbackOnly, so its"
                                + " work is lost; throw an exception to fail, or commit the transaction to succeed");
            }
        });
    }
}
