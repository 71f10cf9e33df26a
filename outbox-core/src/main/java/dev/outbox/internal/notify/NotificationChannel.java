package dev.outbox.internal.notify;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
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

    /** Identifies the idle connection in pg_stat_activity, whatever the URL says. */
    private static final String NAME = "SET application_name = 'outbox-listener'";

    private final DataSource dataSource;
    private final String worker;
    private final String channel;
    private final Pipeline notify;

    /** Creates a channel on which this process sends under the name of its worker. */
    NotificationChannel(DataSource dataSource, OutboxSchema schema, String worker) {
        this.dataSource = dataSource;
        this.worker = worker;
        // A channel is an identifier too, of at most 63 bytes.
        String name = "outbox_" + schema.name();
        this.channel = name.length() <= 63 ? name : name.substring(0, 63);
        this.notify = new Pipeline(schema, NOTIFY);
    }

    /** Stream of which a worker has committed events. */
    record Message(String worker, String stream) {

        static Message of(String text) {
            int end = text.indexOf('\n');
            return end < 0 ? new Message("", text) : new Message(text.substring(0, end), text.substring(end + 1));
        }
    }

    /** Sends a message for each stream, in a transaction of its own. */
    void send(Set<String> streams) throws SQLException {
        notify.run(
                dataSource,
                (parameters) -> parameters
                        .set("channel", channel)
                        .setTexts("messages", streams, (stream) -> worker + '\n' + stream));
    }

    /** Returns whether this process sent a message. */
    boolean isOwn(Message message) {
        return message.worker().equals(worker);
    }

    /** Starts to listen on a connection that should not come from a pool, because the subscription holds it until it is closed. */
    Subscription listen() throws SQLException {
        Connection connection = dataSource.getConnection();
        try (Statement statement = connection.createStatement()) {
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
