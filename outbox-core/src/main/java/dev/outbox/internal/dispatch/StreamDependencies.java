package dev.outbox.internal.dispatch;

import dev.outbox.internal.lease.LeaseRenewer;
import dev.outbox.internal.notify.Announcements;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What first deliveries and redeliveries of all streams share; {@code deadLettered} is notified of committed dead letters.
 */
public record StreamDependencies(
        DataSource dataSource,
        OutboxSchema schema,
        HandlerRegistry registry,
        Dispatcher dispatcher,
        LeaseRenewer leases,
        OutboxListener listener,
        Announcements announcements,
        Runnable deadLettered,
        CrashSuspects suspects) {

    /** Keeps crash suspects apart: one of them may crash the process, and the others must not be blamed for it. Thread-safe. */
    public static final class CrashSuspects {

        private final AtomicReference<@Nullable Object> occupant = new AtomicReference<>();

        /** Returns whether this pass may claim suspects now. */
        public boolean tryAcquire(Object pass) {
            return occupant.compareAndSet(null, pass);
        }

        /** Lets the next pass claim suspects. */
        public void release(Object pass) {
            occupant.compareAndSet(pass, null);
        }
    }
}
