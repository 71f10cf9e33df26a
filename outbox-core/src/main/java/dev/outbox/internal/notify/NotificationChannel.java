package dev.outbox.internal.notify;

import dev.outbox.internal.sql.NetworkTimeout;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Notifies other instances of new events, and receives their notifications, by {@code NOTIFY} and {@code LISTEN}. */
final class NotificationChannel {

    private static final String NOTIFY = """
            SELECT count(pg_notify(:channel, message))
              FROM unnest(:messages::text[]) AS m (message)
            """;

    /** Sends nothing if the events have all left the queue. Relies on outbox_unpublished_event_id. */
    static final String NOTIFY_IF_PENDING = NOTIFY + """
             WHERE EXISTS (SELECT
                             FROM unnest(:event_ids::text[]) AS e (id)
                            CROSS JOIN LATERAL (SELECT
                                                  FROM {schema}.outbox_unpublished o
                                                 WHERE o.event_id = e.id::uuid
                                                   AND o.dispatched_at IS NULL
                                                 LIMIT 1) o)
            """;

    /** Identifies the idle connection in pg_stat_activity, whatever the URL says. */
    private static final String NAME = "SET application_name = 'outbox-listener'";

    private final DataSource dataSource;
    private final String worker;
    private final String channel;
    private final Pipeline notify;
    private final Pipeline notifyIfPending;

    /** Creates a channel on which this process sends under the name of its worker. */
    NotificationChannel(DataSource dataSource, OutboxSchema schema, String worker) {
        this.dataSource = dataSource;
        this.worker = worker;
        // A channel is an identifier too, of at most 63 bytes.
        String name = "outbox_" + schema.name();
        this.channel = name.length() <= 63 ? name : name.substring(0, 63);
        this.notify = new Pipeline(schema, NOTIFY);
        this.notifyIfPending = new Pipeline(schema, NOTIFY_IF_PENDING);
    }

    /**
     * Wake-up that one instance responds to; {@link Responders} choose it by the number. How many responders were too busy, and passed it on.
     */
    record Message(String worker, int number, int hops, WakeUp wakeUp) {

        /** A message that has been passed on so often is for every instance, as are those of other programs. */
        static final int FOR_ALL = 4;

        private static final int PARTS = 5;

        static Message of(String text) {
            String[] parts = text.split("\n", PARTS);
            try {
                if (parts.length == PARTS) {
                    WakeUp wakeUp = new WakeUp(WakeUp.Kind.valueOf(parts[3]), parts[4]);
                    return new Message(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), wakeUp);
                }
            } catch (IllegalArgumentException ex) {
                // A name of several lines.
            }
            return new Message("", 0, FOR_ALL, WakeUp.of(text));
        }

        boolean isForAll() {
            return hops >= FOR_ALL;
        }

        String text() {
            return worker + '\n' + number + '\n' + hops + '\n' + wakeUp.kind() + '\n' + wakeUp.stream();
        }
    }

    /** Returns where the connections are from. */
    DataSource dataSource() {
        return dataSource;
    }

    /** Fails if no message could be sent. */
    void check() throws SQLException {
        send(Set.of());
    }

    /** Sends messages in a transaction of its own. */
    void send(Collection<Message> messages) throws SQLException {
        notify.run(
                dataSource,
                (parameters) -> parameters.set("channel", channel).setTexts("messages", messages, Message::text));
    }

    /** Sends messages unless the events that they are about have all left the queue. Only a worker may read the queue. */
    void sendIfPending(Collection<Message> messages, Set<UUID> eventIds) throws SQLException {
        notifyIfPending.run(
                dataSource,
                (parameters) -> parameters
                        .set("channel", channel)
                        .setTexts("messages", messages, Message::text)
                        .setTexts("event_ids", eventIds, UUID::toString));
    }

    /** Creates a message of this process. */
    Message message(int number, int hops, WakeUp wakeUp) {
        return new Message(worker, number, hops, wakeUp);
    }

    /** Returns whether this process sent a message. */
    boolean isOwn(Message message) {
        return message.worker().equals(worker);
    }

    /**
     * Starts to listen on a connection that should not come from a pool, because the subscription holds it until it is closed. Its network
     * timeout limits statements; messages are waited for with a shorter one.
     */
    Subscription listen() throws SQLException {
        Connection connection = dataSource.getConnection();
        try (Statement statement = connection.createStatement()) {
            NetworkTimeout.on(connection, NetworkTimeout.DEFAULT);
            connection.setAutoCommit(true);
            statement.execute(NAME);
            statement.execute("LISTEN \"" + channel + '"');
            return new Subscription(connection, connection.unwrap(PGConnection.class));
        } catch (SQLException | RuntimeException ex) {
            connection.close();
            throw ex;
        }
    }

    /** Listening connection. Used by one thread. */
    static final class Subscription implements AutoCloseable {

        private static final int SECONDS_TO_ANSWER = 5;

        private final Connection connection;
        private final PGConnection driver;

        private Subscription(Connection connection, PGConnection driver) {
            this.connection = connection;
            this.driver = driver;
        }

        /** Waits for messages, and returns them. */
        List<Message> receive(Duration atMost) throws SQLException {
            PGNotification[] received = driver.getNotifications(Math.max(1, (int) atMost.toMillis()));
            return Stream.of(received == null ? new PGNotification[0] : received)
                    .map((notification) -> Message.of(notification.getParameter()))
                    .toList();
        }

        /** Fails if the server does not answer. */
        void check() throws SQLException {
            if (!connection.isValid(SECONDS_TO_ANSWER)) {
                throw new SQLException("the connection that listens for new events is broken", "08006");
            }
        }

        /** Stops to listen, if a pooler sends this to the session that listens. Fails if the server does not answer. */
        void unlisten() throws SQLException {
            check();
            try (Statement statement = connection.createStatement()) {
                statement.execute("UNLISTEN *");
            }
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
