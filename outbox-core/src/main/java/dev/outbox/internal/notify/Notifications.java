package dev.outbox.internal.notify;

import dev.outbox.internal.sql.OutboxSchema;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wake-ups between instances: sends those of this instance's commits and, if it polls, receives those of others. */
public final class Notifications implements AutoCloseable {

    /** Stands for every stream, and for what belongs to none: replays and registrations. */
    public static final String EVERY_STREAM = "*";

    private static final Logger log = LoggerFactory.getLogger(Notifications.class);

    private final boolean receives;
    private final @Nullable Notifier notifier;
    private final @Nullable NotificationListener listener;

    /** Creates wake-ups that are not started; receiving takes a connection outside the pool. */
    public Notifications(
            boolean enabled,
            boolean polling,
            DataSource dataSource,
            Optional<DataSource> unpooled,
            OutboxSchema schema,
            String worker,
            Consumer<String> wake,
            Runnable wakeAll) {
        this.receives = enabled && polling;
        this.notifier = enabled ? new Notifier(new NotificationChannel(dataSource, schema), worker) : null;
        this.listener = notifier == null || !receives
                ? null
                : unpooled.map((own) ->
                                new NotificationListener(new NotificationChannel(own, schema), notifier, wake, wakeAll))
                        .orElse(null);
    }

    public void start() {
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

    /** Notes that events were committed. Returns at once. */
    public void committed(String stream) {
        if (notifier != null) {
            notifier.committed(stream);
        }
    }

    /** Returns whether wake-ups of other instances arrive: the connection has passed its test and not failed since. */
    public boolean areReceived() {
        return listener != null && listener.isListening();
    }

    /** Closes the connection outside the pool; this instance still sends. */
    public void stopReceiving() {
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
