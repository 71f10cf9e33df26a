package dev.outbox.spring.autoconfigure;

import dev.outbox.runtime.OutboxRuntime;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the outbox with its context, as often as the context is started, stopped, paused and restarted.
 *
 * <p>Its phase is the last: pollers start when everything else has, the web server included, and stop before anything that a
 * handler may be using. What is published after that is stored, and handled by another process or after the next start. A
 * stop takes up to {@code outbox.poller.shutdown-timeout}, which should stay below
 * {@code spring.lifecycle.timeout-per-shutdown-phase}. Connection pools are closed later, when beans are destroyed.
 */
final class OutboxLifecycle implements SmartLifecycle {

    private final OutboxRuntime runtime;
    private final DiscoveredHandlers handlers;
    private final StartReport report;

    OutboxLifecycle(OutboxRuntime runtime, DiscoveredHandlers handlers, StartReport report) {
        this.runtime = runtime;
        this.handlers = handlers;
        this.report = report;
    }

    @Override
    public void start() {
        handlers.checkNothingWasMissed();
        report.write(handlers.get());
        runtime.start();
    }

    @Override
    public void stop() {
        runtime.close();
    }

    @Override
    public boolean isRunning() {
        return runtime.isRunning();
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
