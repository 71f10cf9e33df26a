package dev.outbox.sample.push;

import dev.outbox.sample.push.Device.Subscription;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Devices of the users. A later registration under the same name replaces the earlier one and has a new id. */
@Repository
class Devices {

    private static final String REGISTER = """
            INSERT INTO push.devices (user_id, name, token, endpoint, p256dh, auth)
            VALUES (:userId, :name, :token, :endpoint, :p256dh, :auth)
            ON CONFLICT (user_id, name) DO UPDATE
               SET id = excluded.id,
                   token = excluded.token,
                   endpoint = excluded.endpoint,
                   p256dh = excluded.p256dh,
                   auth = excluded.auth,
                   registered_at = excluded.registered_at,
                   unanswered_at = NULL
            """;

    private static final String AWAITING = """
            SELECT id, name, user_id, token, endpoint, p256dh, auth
              FROM push.devices d
             WHERE user_id = :userId
               AND NOT EXISTS (SELECT 1
                                 FROM push.deliveries
                                WHERE message_id = :messageId
                                  AND (device_id = d.id OR device = d.name AND failure IS NULL))
             ORDER BY unanswered_at NULLS FIRST, registered_at
            """;

    private static final String MISS_ANSWER = """
            UPDATE push.devices
               SET unanswered_at = now()
             WHERE id = :id
            """;

    private static final String EXIST = """
            SELECT EXISTS (SELECT 1
                             FROM push.devices
                            WHERE user_id = :userId)
            """;

    private static final String UNREGISTER = """
            DELETE FROM push.devices
             WHERE user_id = :userId
               AND name = :name
            """;

    private static final String REMOVE = """
            DELETE FROM push.devices
             WHERE id = :id
            """;

    private final JdbcClient jdbc;

    Devices(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void register(String name, Device device) {
        Subscription subscription = device.subscription();
        jdbc.sql(REGISTER)
                .param("userId", device.userId())
                .param("name", name)
                .param("token", device.token())
                .param(
                        "endpoint",
                        subscription == null ? null : subscription.endpoint().toString())
                .param("p256dh", subscription == null ? null : subscription.p256dh())
                .param("auth", subscription == null ? null : subscription.auth())
                .update();
    }

    /**
     * Finds the devices for which the push of a message is not over. Those that did not answer a push come last: they may use up the time
     * that the handler has. A device that has the message does not receive it again after another registration.
     */
    List<Registration> awaiting(InboxMessage message) {
        return jdbc.sql(AWAITING)
                .param("userId", message.userId())
                .param("messageId", message.id())
                .query((row, number) -> registration(row))
                .list();
    }

    /** Records that a push to a device had no answer, or a failure that a retry may mend. */
    void missAnswer(UUID registrationId) {
        jdbc.sql(MISS_ANSWER).param("id", registrationId).update();
    }

    boolean exist(String userId) {
        return jdbc.sql(EXIST).param("userId", userId).query(Boolean.class).single();
    }

    void unregister(String userId, String name) {
        jdbc.sql(UNREGISTER).param("userId", userId).param("name", name).update();
    }

    /** Removes one registration and keeps a later one. Returns whether it was still there. */
    boolean remove(UUID registrationId) {
        return jdbc.sql(REMOVE).param("id", registrationId).update() == 1;
    }

    private static Registration registration(ResultSet row) throws SQLException {
        String endpoint = row.getString("endpoint");
        Subscription subscription = endpoint == null
                ? null
                : new Subscription(URI.create(endpoint), row.getString("p256dh"), row.getString("auth"));
        return new Registration(
                row.getObject("id", UUID.class),
                row.getString("name"),
                new Device(row.getString("user_id"), row.getString("token"), subscription));
    }

    /** Device as it was registered at one time. */
    record Registration(UUID id, String name, Device device) {}
}
