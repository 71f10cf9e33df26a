package dev.outbox.internal.failure;

/** Cause of failed attempts that the handler reports itself, once for all of them: the dispatcher logs them at DEBUG only. */
public final class SelfReported extends RuntimeException {

    private static final long serialVersionUID = 1;

    public SelfReported() {
        super("the handler reports this itself", null, false, false);
    }
}
