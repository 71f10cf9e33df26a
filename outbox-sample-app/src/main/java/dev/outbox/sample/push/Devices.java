package dev.outbox.sample.push;

import dev.outbox.sample.push.Device.Keys;
import dev.outbox.sample.push.Device.Subscription;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Devices of the users, one for each. A later registration replaces the earlier one and has a new id. */
@Repository
class Devices {

    private static final String REGISTER = """
            INSERT INTO push.devices (user_id, token, endpoint, p256dh, auth)
            VALUES (:userId, :token, :endpoint, :p256dh, :auth)
            ON CONFLICT (user_id) DO UPDATE
               SET id = excluded.id,
                   token = excluded.token,
                   endpoint = excluded.endpoint,
                   p256dh = excluded.p256dh,
                   auth = excluded.auth,
                   registered_at = excluded.registered_at
            """;

    private static final String FIND = """
            SELECT id, user_id, token, endpoint, p256dh, auth
              FROM push.devices
             WHERE user_id = :userId
            """;

    private static final String UNREGISTER = """
            DELETE FROM push.devices
             WHERE user_id = :userId
            """;

    private static final String REMOVE = """
            DELETE FROM push.devices
             WHERE id = :id
            """;

    private final JdbcClient jdbc;

    Devices(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void register(Device device) {
        Subscription subscription = device.subscription();
        jdbc.sql(REGISTER)
                .param("userId", device.userId())
                .param("token", device.token())
                .param(
                        "endpoint",
                        subscription == null ? null : subscription.endpoint().toString())
                .param(
                        "p256dh",
                        subscription == null ? null : subscription.keys().p256dh())
                .param("auth", subscription == null ? null : subscription.keys().auth())
                .update();
    }

    Optional<Registration> find(String userId) {
        return jdbc.sql(FIND)
                .param("userId", userId)
                .query((row, number) -> registration(row))
                .optional();
    }

    void unregister(String userId) {
        jdbc.sql(UNREGISTER).param("userId", userId).update();
    }

    /** Removes one registration and keeps a later one. Returns whether it was still there. */
    boolean remove(UUID registrationId) {
        return jdbc.sql(REMOVE).param("id", registrationId).update() == 1;
    }

    private static Registration registration(ResultSet row) throws SQLException {
        String endpoint = row.getString("endpoint");
        Subscription subscription = endpoint == null
                ? null
                : new Subscription(URI.create(endpoint), new Keys(row.getString("p256dh"), row.getString("auth")));
        return new Registration(
                row.getObject("id", UUID.class),
                new Device(row.getString("user_id"), row.getString("token"), subscription));
    }

    /** Device as it was registered at one time. */
    record Registration(UUID id, Device device) {}
}
