package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.OutboxRuntime;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the outbox together with its context, also when the context is paused or restarted.
 *
 * <p>{@link RegistrationLifecycle} has registered the handlers before. The outbox uses the phase of the web server's graceful shutdown.
 * It starts after the web server, and running handlers finish while the web server finishes its requests. Both must end within
 * {@code spring.lifecycle.timeout-per-shutdown-phase}, which should exceed {@code outbox.poller.shutdown-timeout}. Another process, or
 * this one after its next start, delivers the events that are published
 * later. Connection pools close afterwards, when the context destroys its beans.
 */
final class OutboxLifecycle implements SmartLifecycle {

    /** Copied from {@code WebServerApplicationContext}, which an application without a web server does not have. */
    private static final int PHASE_OF_GRACEFUL_SHUTDOWN = DEFAULT_PHASE - 1024;

    private final OutboxRuntime runtime;

    OutboxLifecycle(OutboxRuntime runtime) {
        this.runtime = runtime;
    }

    @Override
    public void start() {
        runtime.start();
    }

    @Override
    public void stop() {
        runtime.close();
    }

    /** Returns immediately, so that the web server stops at the same time. A handler that stops its own context waits on its own thread. */
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
