package dev.outbox.internal.registry;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Registration of a handler under one id, whether it has expired or not. */
public record HandlerState(
        String id, Set<String> aliases, Set<Subscription> subscriptions, boolean paused, Heartbeat heartbeat) {

    /** Reads outbox_handler and outbox_subscription whole: they have a row per handler and subscription. */
    public static final String LIST = """
            SELECT h.id, h.aliases,
                   ARRAY({subscriptions}),
                   h.paused, h.last_seen_at, h.last_seen_at >= clock_timestamp() - interval '3 minutes'
              FROM {schema}.outbox_handler h
             ORDER BY h.id
            """.replace("{subscriptions}", Subscriptions.OF_HANDLER);

    /** Last heartbeat, which every instance gives each minute, and whether it is recent. */
    public record Heartbeat(Instant at, boolean recent) {}

    /** Returns whether an instance has the handler. */
    public boolean isPresent() {
        return heartbeat.recent() && !subscriptions.isEmpty();
    }

    /** Returns whether the handler takes events with these values. */
    public boolean takes(Subscription event) {
        return subscriptions.stream().anyMatch((own) -> own.takes(event));
    }

    /** Reads a row of {@link #LIST}. */
    public static HandlerState read(ResultSet row) throws SQLException {
        return new HandlerState(
                row.getString(1),
                texts(row, 2),
                Subscriptions.read(row, 3),
                row.getBoolean(4),
                new Heartbeat(row.getObject(5, OffsetDateTime.class).toInstant(), row.getBoolean(6)));
    }

    public static Set<String> texts(ResultSet row, int column) throws SQLException {
        return new TreeSet<>(List.of((String[]) row.getArray(column).getArray()));
    }
}
