package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.OutboxRuntime;
import org.springframework.context.SmartLifecycle;

/**
 * Registers the handlers before the web server accepts requests, and before message listeners receive: no other instance completes an
 * event that one of them publishes before it knows the handlers. {@link OutboxLifecycle} starts the pollers, and stops both.
 */
final class RegistrationLifecycle implements SmartLifecycle {

    /** Follows the phase in which a connection pool resumes when its context restarts. */
    private static final int PHASE = 1;

    private final OutboxRuntime runtime;
    private final DiscoveredHandlers handlers;
    private final StartReport report;

    RegistrationLifecycle(OutboxRuntime runtime, DiscoveredHandlers handlers, StartReport report) {
        this.runtime = runtime;
        this.handlers = handlers;
        this.report = report;
    }

    @Override
    public void start() {
        handlers.checkComplete();
        report.write(handlers.get());
        runtime.register();
    }

    /** Does nothing unless the start has failed in between: the outbox has stopped. */
    @Override
    public void stop() {
        runtime.close();
    }

    @Override
    public boolean isRunning() {
        return runtime.isRegistered();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
