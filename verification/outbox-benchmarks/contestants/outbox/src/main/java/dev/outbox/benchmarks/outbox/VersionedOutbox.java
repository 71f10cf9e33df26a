package dev.outbox.benchmarks.outbox;

import dev.outbox.OutboxEvent;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;

/** {@link Outbox} whose events have the version of the account as their sequence. */
public final class VersionedOutbox extends Outbox {

    /** Starts the service. */
    public VersionedOutbox(Setup setup) {
        super(setup);
    }

    @Override
    OutboxEvent event(AccountChanged event) {
        return super.event(event).withSequence(event.seq());
    }
}
