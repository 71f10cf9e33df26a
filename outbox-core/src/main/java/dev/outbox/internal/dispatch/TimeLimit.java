package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts handlers that take too long. An interrupted attempt has failed, even if the handler returned: it may have swallowed the
 * interrupt with its work undone. A handler that ignores the interrupt keeps its thread.
 */
final class TimeLimit {

    private final ScheduledThreadPoolExecutor alarms;

    /** Creates a limit whose thread ends when it is idle. */
    TimeLimit() {
        this.alarms = new ScheduledThreadPoolExecutor(1, (task) -> {
            Thread thread = new Thread(task, "outbox-time-limit");
            thread.setDaemon(true);
            return thread;
        });
        alarms.setRemoveOnCancelPolicy(true);
        alarms.setKeepAliveTime(30, TimeUnit.SECONDS);
        alarms.allowCoreThreadTimeOut(true);
    }

    /** Returns a handler with a time limit. */
    HandlerDefinition around(HandlerDefinition handler, Duration limit) {
        return handler.decorated((own) -> (payload, envelope, context) -> {
            Watch watch = new Watch(Thread.currentThread());
            Future<?> alarm = alarms.schedule(watch::fire, limit.toNanos(), TimeUnit.NANOSECONDS);
            try {
                own.handle(payload, envelope, context);
            } catch (Throwable ex) {
                if (watch.stop()) {
                    throw new TimedOutException(limit, ex);
                }
                throw ex;
            } finally {
                alarm.cancel(false);
            }
            if (watch.stop()) {
                throw new TimedOutException(limit, null);
            }
        });
    }

    /** Returns the failure of an outcome that did not come in time. */
    static TimedOutException late(Duration limit) {
        return new TimedOutException("the outcome did not come within " + TimedOutException.text(limit), null);
    }

    /** Handler that was interrupted because it took too long. Its cause has the frames of the handler; its own would be the outbox's. */
    static final class TimedOutException extends Exception {

        private static final long serialVersionUID = 1L;

        TimedOutException(Duration limit, @Nullable Throwable cause) {
            this("the handler was interrupted after " + text(limit), cause);
        }

        private TimedOutException(String message, @Nullable Throwable cause) {
            super(message, cause, true, false);
        }

        private static String text(Duration limit) {
            return limit.toMillisPart() == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
        }
    }

    /** Interrupts the thread only while it runs the handler. */
    private static final class Watch {

        private final Thread thread;
        private boolean stopped;
        private boolean fired;

        Watch(Thread thread) {
            this.thread = thread;
        }

        synchronized void fire() {
            if (!stopped) {
                fired = true;
                thread.interrupt();
            }
        }

        /** Returns whether the handler was interrupted. */
        synchronized boolean stop() {
            stopped = true;
            if (fired) {
                Thread.interrupted();
            }
            return fired;
        }
    }
}
