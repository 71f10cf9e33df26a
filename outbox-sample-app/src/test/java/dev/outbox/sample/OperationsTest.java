package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What pausing and replaying does. */
@SampleTest
class OperationsTest {

    private final String user = "user-" + UUID.randomUUID();

    @Autowired
    private Api api;

    @Autowired
    private JdbcClient jdbc;

    @BeforeEach
    void connect() {
        api.put("/devices/" + user, "");
    }

    @Test
    void operationsArePublishedOnceInTheirStream() {
        String handler = "push.user-registered";
        api.change("pause", "handler", handler);
        api.change("resume", "handler", handler);

        String events = "$[?(@.aggregate == 'operation/%s' && @.status == 'PUBLISHED')].eventId".formatted(handler);
        await().atMost(Api.DEADLINE)
                .until(() -> api.<List<String>>get("/events", events).size() == 2);

        assertThat(api.<List<String>>get("/events", events).stream().map((event) -> api.find("/events/" + event)))
                .allSatisfy((envelope) -> assertThat(envelope).containsEntry("type", "OperationPerformed"))
                .extracting("payload")
                .extracting("action", "actor", "reason", "handlerId")
                .containsExactly(
                        tuple("RESUME_HANDLER", "ann", "a test", handler),
                        tuple("PAUSE_HANDLER", "ann", "a test", handler));
    }

    @Test
    void pausedStreamStandsStillUntilItIsResumed() {
        assertThat(api.change("pause", "stream", "push")).isTrue();
        assertThat(api.change("pause", "stream", "push")).isFalse();
        assertThat(api.<List<Boolean>>get("/actuator/outbox", "$.streams[?(@.name == 'push')].paused"))
                .containsExactly(true);
        api.confirm(api.reserve(user));
        api.subscribe("guild-" + UUID.randomUUID(), "pro");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "LicenseGranted")
                        .extracting("status")
                        .containsExactly("PUBLISHED"));
        assertThat(api.events())
                .filteredOn("stream", "push")
                .extracting("status")
                .containsExactly("PENDING");

        assertThat(api.change("resume", "stream", "push")).isTrue();

        api.awaitPublished();
        assertThat(inbox("status")).containsExactly("SENT");
    }

    @Test
    void replayedEventReachesTheHandlerAgain() {
        String reservation = api.reserve(user);
        api.confirm(reservation);
        api.awaitPublished();
        jdbc.sql("DELETE FROM push.inbox WHERE user_id = :user")
                .param("user", user)
                .update();

        Map<String, Object> progress = api.replay(
                "handler=push.reservation-confirmed&aggregateType=reservation&aggregateId=" + reservation);

        assertThat(progress)
                .containsEntry("fed", 1)
                .containsEntry("open", Map.of("value", 0, "exact", true))
                .containsEntry("dead", Map.of("value", 0, "exact", true));
        assertThat(inbox("title")).containsExactly("Reservation confirmed");
    }

    private List<String> inbox(String field) {
        return api.get("/inbox/" + user, "$[*]." + field);
    }
}
