package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import java.util.function.BooleanSupplier;
import org.springframework.transaction.UnexpectedRollbackException;

/** Turns a handler whose last transaction was rolled back without an exception into one that has failed: its work is lost. */
public final class SilentRollback {

    private final Runnable beginWatch;
    private final BooleanSupplier endWatch;

    /** Creates the check. */
    public SilentRollback(Runnable beginWatch, BooleanSupplier endWatch) {
        this.beginWatch = beginWatch;
        this.endWatch = endWatch;
    }

    /** Puts the check around a handler. */
    public HandlerDefinition around(HandlerDefinition handler) {
        return handler.around((payload, envelope, context, own) -> {
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
                                + " work is lost; to fail, throw an exception, and to succeed without effects, return before"
                                + " the transaction begins or let it commit");
            }
        });
    }
}
