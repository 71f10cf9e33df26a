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
        changed("pause", "handler", handler);
        changed("resume", "handler", handler);

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
        assertThat(changed("pause", "stream", "push")).isTrue();
        assertThat(changed("pause", "stream", "push")).isFalse();
        assertThat(api.<List<Boolean>>get("/actuator/outbox", "$.streams[?(@.name == 'push')].paused"))
                .containsExactly(true);
        confirmReservation();
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

        assertThat(changed("resume", "stream", "push")).isTrue();

        api.awaitPublished();
        assertThat(inbox("status")).containsExactly("SENT");
    }

    @Test
    void replayedEventReachesTheHandlerAgain() {
        confirmReservation();
        api.awaitPublished();
        jdbc.sql("DELETE FROM push.inbox WHERE user_id = :user")
                .param("user", user)
                .update();

        String replay = replay("&aggregateType=reservation&aggregateId=" + reservation());

        await().atMost(Api.DEADLINE).until(() -> api.text(replay, "$.status").equals("DONE"));
        assertThat(api.<Map<String, Object>>get(replay, "$.progress"))
                .containsEntry("fed", 1)
                .containsEntry("open", Map.of("value", 0, "exact", true))
                .containsEntry("dead", Map.of("value", 0, "exact", true));
        assertThat(inbox("title")).containsExactly("Reservation confirmed");
    }

    private boolean changed(String command, String kind, String name) {
        return api.create("/actuator/outbox/" + command, """
                {"%s": "%s", "actor": "ann", "reason": "a test"}
                """.formatted(kind, name), "$.changed");
    }

    private String replay(String filters) {
        return "/actuator/outbox/replays/"
                + api.<Integer>create("/actuator/outbox/replay", """
                {"selection": "handler=push.reservation-confirmed%s", "actor": "ann", "reason": "its inbox was lost"}
                """.formatted(filters), "$.replay");
    }

    /** The event that confirms a reservation. */
    private Object confirmReservation() {
        String reservation = api.create("/reservations", """
                {"userId": "%s", "place": "sauna", "startsAt": "2030-01-01T18:00:00Z"}
                """.formatted(user), "$.id");
        api.create("/reservations/" + reservation + "/confirmation", "", "$.id");
        return api.events().get(0).get("eventId");
    }

    /** The reservation of the first event. */
    private Object reservation() {
        return api.events().get(0).get("aggregate").toString().split("/", 2)[1];
    }

    private List<String> inbox(String field) {
        return api.get("/inbox/" + user, "$[*]." + field);
    }
}
