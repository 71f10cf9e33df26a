package dev.outbox.internal.runtime;

import dev.outbox.internal.notify.NotificationChannel;
import dev.outbox.internal.notify.NotificationListener;
import dev.outbox.internal.notify.Notifier;
import dev.outbox.internal.sql.OutboxSchema;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wake-ups between instances: sends those of this instance's commits and, if it polls, receives those of others. */
final class Notifications implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Notifications.class);

    private final boolean receives;
    private final @Nullable Notifier notifier;
    private final @Nullable NotificationListener listener;

    Notifications(
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            String worker,
            Consumer<String> wake,
            Runnable wakeAll) {
        OutboxSchema schema = settings.schemas().outbox();
        boolean enabled = settings.polling().notifications();
        this.receives = enabled && settings.polling().enabled();
        this.notifier =
                enabled ? new Notifier(new NotificationChannel(dependencies.dataSource(), schema), worker) : null;
        this.listener = notifier == null || !receives
                ? null
                : dependencies
                        .unpooled()
                        .map((unpooled) -> new NotificationListener(
                                new NotificationChannel(unpooled, schema), notifier, wake, wakeAll))
                        .orElse(null);
    }

    void start() {
        if (notifier != null) {
            notifier.start();
        }
        if (listener != null) {
            listener.start();
        } else if (receives) {
            log.info(
                    "This instance receives no wake-ups of other instances: the DataSource does not reveal how to open a"
                            + " connection outside its pool; streams are polled at their interval");
        }
    }

    void committed(String stream) {
        if (notifier != null) {
            notifier.committed(stream);
        }
    }

    void stopReceiving() {
        if (listener != null) {
            listener.close();
        }
    }

    @Override
    public void close() {
        if (notifier != null) {
            notifier.close();
        }
    }
}
