package dev.outbox.sample.push;

import dev.outbox.sample.demo.Outages;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Gateway that fails on request: a number of times for one phone, or for all phones while it is down. */
@Component
final class SimulatedGateway implements PushGateway {

    private static final String REGISTER = """
            INSERT INTO push.devices (user_id)
            VALUES (:userId)
            ON CONFLICT (user_id) DO NOTHING
            """;

    private static final String PLAN_FAILURES = """
            UPDATE push.devices
               SET failures = :failures
             WHERE user_id = :userId
            """;

    private static final String FAIL = """
            UPDATE push.devices
               SET failures = failures - 1
             WHERE user_id = :userId
               AND failures > 0
            """;

    private static final String UNREGISTER = """
            DELETE FROM push.devices
             WHERE user_id = :userId
            """;

    /** Returns no row if the phone does not exist. */
    private static final String LOG = """
            INSERT INTO push.gateway_log (message_id, user_id, taken)
            SELECT :messageId, user_id, :taken
              FROM push.devices
             WHERE user_id = :userId
            """;

    private static final String TAKEN = """
            SELECT title || ': ' || body
              FROM push.gateway_log entry
              JOIN push.inbox message ON message.id = entry.message_id
             WHERE entry.user_id = :userId
               AND entry.taken
             ORDER BY entry.id
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    SimulatedGateway(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    @Override
    public boolean send(InboxMessage message) {
        boolean failing = outages.isDown("push")
                || jdbc.sql(FAIL).param("userId", message.userId()).update() == 1;
        int reached = jdbc.sql(LOG)
                .param("messageId", message.id())
                .param("userId", message.userId())
                .param("taken", !failing)
                .update();
        if (failing) {
            throw new GatewayException("the gateway has answered 503");
        }
        return reached == 1;
    }

    void register(String userId) {
        jdbc.sql(REGISTER).param("userId", userId).update();
    }

    void unregister(String userId) {
        jdbc.sql(UNREGISTER).param("userId", userId).update();
    }

    void fail(String userId, int times) {
        jdbc.sql(PLAN_FAILURES).param("userId", userId).param("failures", times).update();
    }

    /** Message that a phone has shown. */
    List<String> shown(String userId) {
        return jdbc.sql(TAKEN).param("userId", userId).query(String.class).list();
    }
}
