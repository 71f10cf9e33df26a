package dev.outbox.sample.push.simulated;

import dev.outbox.sample.demo.Outages;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.push.Device;
import dev.outbox.sample.push.PushGateway;
import dev.outbox.sample.push.PushMessage;
import dev.outbox.sample.web.Name;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Gateway that fails on request: a number of times for one device, or for all devices while it is down. Shows over HTTP what its devices have
 * shown.
 */
@RestController
@ConditionalOnProperty(name = "push.gateway", havingValue = "simulated")
final class SimulatedGateway implements PushGateway {

    private static final String PLAN_FAILURES = """
            INSERT INTO push.simulated_faults (user_id, failures)
            VALUES (:userId, :failures)
            ON CONFLICT (user_id) DO UPDATE
               SET failures = excluded.failures
            """;

    private static final String FAIL = """
            UPDATE push.simulated_faults
               SET failures = failures - 1
             WHERE user_id = :userId
               AND failures > 0
            """;

    private static final String RECORD = """
            INSERT INTO push.simulated_sends (message_id, user_id, message, taken)
            VALUES (:messageId, :userId, :message, :taken)
            """;

    private static final String TAKEN = """
            SELECT message
              FROM push.simulated_sends
             WHERE user_id = :userId
               AND taken
             ORDER BY id
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    SimulatedGateway(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    /** Reaches every device, because it reaches none. */
    @Override
    public void check(Device device) {}

    @Override
    public Result send(PushMessage message, Device device) {
        boolean failing = outages.isDown("push")
                || jdbc.sql(FAIL).param("userId", device.userId()).update() == 1;
        jdbc.sql(RECORD)
                .param("messageId", message.id())
                .param("userId", device.userId())
                .param("message", message.title() + ": " + message.body())
                .param("taken", !failing)
                .update();
        if (failing) {
            throw new GatewayException("the simulated gateway answered 503");
        }
        return Result.ACCEPTED;
    }

    @PutMapping("/devices/{userId}/failures")
    void fail(@PathVariable @Name String userId, @RequestBody Failures failures) {
        jdbc.sql(PLAN_FAILURES)
                .param("userId", userId)
                .param("failures", failures.times())
                .update();
    }

    /** Messages that a device has shown. */
    @GetMapping("/devices/{userId}/messages")
    List<String> shown(@PathVariable String userId) {
        return jdbc.sql(TAKEN).param("userId", userId).query(String.class).list();
    }

    record Failures(int times) {}
}
