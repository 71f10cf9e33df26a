package dev.outbox.benchmarks.worker;

import java.io.Serial;

/** Failure that the workload demands, without a stack trace, which would cost more than the call. */
public final class DeliberateFailure extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1;

    DeliberateFailure() {
        super("deliberate", null, false, false);
    }
}
