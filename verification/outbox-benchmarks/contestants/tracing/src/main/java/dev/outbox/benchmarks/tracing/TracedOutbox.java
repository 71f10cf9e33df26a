package dev.outbox.benchmarks.tracing;

import dev.outbox.benchmarks.outbox.Outbox;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import java.sql.Connection;

/**
 * {@link Outbox} with the tracer that its class path adds, at the default sampling of 10 percent and without an exporter. Fails if events do
 * not store their trace.
 */
public final class TracedOutbox extends Outbox {

    /** Starts the service. */
    public TracedOutbox(Setup setup) {
        super(setup);
    }

    @Override
    public void publish(Connection connection, AccountChanged event) {
        if (!store(event).headers().containsKey("traceparent")) {
            throw new IllegalStateException("the event stores no trace");
        }
    }
}
