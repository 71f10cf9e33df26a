package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.OutboxRuntime;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the outbox with its context, as often as the context is started, stopped, paused and restarted.
 *
 * <p>Its phase is that of the web server's graceful shutdown: the outbox starts after the web server and finishes its handlers while the
 * web server finishes its requests, both within {@code spring.lifecycle.timeout-per-shutdown-phase}, which should exceed
 * {@code outbox.poller.shutdown-timeout}. What is published after that is stored, and handled by another process or after the next
 * start. Connection pools are closed later, when beans are destroyed.
 */
final class OutboxLifecycle implements SmartLifecycle {

    /** As in Boot's {@code WebServerApplicationContext}, which an application without a web server does not have. */
    private static final int PHASE_OF_GRACEFUL_SHUTDOWN = DEFAULT_PHASE - 1024;

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

    /** Returns at once, so that the web server stops meanwhile; a handler that stops its own context does so on its own thread. */
    @Override
    public void stop(Runnable callback) {
        Runnable stop = () -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        };
        if (runtime.runningHandlers().runsOn(Thread.currentThread()) || !startsThread(stop)) {
            stop.run();
        }
    }

    private static boolean startsThread(Runnable stop) {
        try {
            Thread thread = new Thread(stop, "outbox-stop");
            thread.setDaemon(true);
            thread.start();
            return true;
        } catch (OutOfMemoryError ex) {
            return false;
        }
    }

    @Override
    public boolean isRunning() {
        return runtime.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE_OF_GRACEFUL_SHUTDOWN;
    }
}
