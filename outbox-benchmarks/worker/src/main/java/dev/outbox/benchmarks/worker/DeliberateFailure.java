package dev.outbox.benchmarks.worker;

import java.io.Serial;

/** A call that fails because the workload says so. Without a stack trace, which would cost more than the call. */
public final class DeliberateFailure extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1;

    DeliberateFailure() {
        super("deliberate", null, false, false);
    }
}
