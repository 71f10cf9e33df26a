package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** From a confirmation or a notice to an inbox, for certain, and to a phone, if its gateway is willing. */
@SampleTest
@TestPropertySource(properties = "push.notice-batch=3")
@ExtendWith(OutputCaptureExtension.class)
class PushFlowTest {

    private final String user = "user-" + UUID.randomUUID();

    @Autowired
    private Api api;

    @Autowired
    private OutboxPublisher outbox;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    @BeforeEach
    void connect() {
        api.put("/devices/" + user, "");
    }

    @Test
    void confirmedReservationReachesInboxAndPhone() {
        String reservation = api.reserve(user);
        api.confirm(reservation);
        api.confirm(reservation);

        assertThat(api.awaitPublished()).containsExactly("ReservationConfirmed", "PushRequested");
        assertThat(inbox()).containsExactly(Map.of("title", "Reservation confirmed", "status", "SENT", "attempts", 1));
        assertThat(shown()).containsExactly("Reservation confirmed: sauna, from 2030-01-01T18:00:00Z");
    }

    @Test
    void reservationOfThePreviousReleaseKeepsItsTime() {
        UUID id = UUID.randomUUID();
        FormerReservationConfirmed former =
                new FormerReservationConfirmed(id, user, "sauna", LocalDateTime.parse("2030-01-02T03:00"));

        transaction.executeWithoutResult((status) -> outbox.publish(OutboxEvent.of("reservation", id.toString(), former)
                .withHeader(EventEnvelope.TRACE_ID, api.traceId())));

        assertThat(api.awaitPublished()).containsExactly("ReservationConfirmed", "PushRequested");
        assertThat(shown()).containsExactly("Reservation confirmed: sauna, from 2030-01-01T18:00:00Z");
    }

    @Test
    void noticeReachesAllUsersInBatches() {
        List<String> users =
                Stream.generate(() -> "user-" + UUID.randomUUID()).limit(4).toList();
        users.forEach(this::signUp);
        api.put("/devices/" + users.get(0), "");
        api.awaitPublished();

        api.create("/notices", "{\"title\": \"Closed\", \"body\": \"on Monday\"}", "$.id");

        assertThat(api.awaitPublished())
                .filteredOn("NoticeBatchRequested"::equals)
                .hasSizeGreaterThan(1);
        assertThat(users)
                .allSatisfy((each) -> assertThat(api.<List<String>>get("/inbox/" + each, "$[*].title"))
                        .containsExactly("Closed"));
        assertThat(api.<List<String>>get("/devices/" + users.get(0) + "/messages", "$"))
                .containsExactly("Closed: on Monday");
    }

    @Test
    void userWithoutDeviceFindsTheNoticeInTheInbox() {
        api.delete("/devices/" + user);
        signUp(user);
        api.awaitPublished();

        api.create("/notices", "{\"title\": \"Open\", \"body\": \"on Tuesday\"}", "$.id");

        api.awaitPublished();
        assertThat(api.<List<Object>>get("/inbox/" + user, "$[*]['title', 'status', 'failure']"))
                .containsExactly(Map.of("title", "Open", "status", "FAILED", "failure", "the user has no device"));
    }

    @Test
    void recoveredGatewayGetsMessageOnThirdAttempt() {
        api.put("/devices/" + user + "/failures", "{\"times\": 2}");

        api.confirm(api.reserve(user));

        api.awaitPublished();
        assertThat(inbox()).containsExactly(Map.of("title", "Reservation confirmed", "status", "SENT", "attempts", 3));
        assertThat(shown()).hasSize(1);
        assertThat(secondsBetweenAttempts()).satisfiesExactly(atLeast(1), atLeast(2));
    }

    @Test
    @Tag("full")
    void inboxKeepsMessageWhenGatewayStaysUnavailable(CapturedOutput output) {
        api.put("/devices/" + user + "/failures", "{\"times\": 100}");

        api.confirm(api.reserve(user));

        await().atMost(Api.DEADLINE)
                .untilAsserted(
                        () -> assertThat(api.events()).extracting("status").containsExactly("PUBLISHED", "DEAD"));
        awaitFailed("GatewayException");
        assertThat(inbox())
                .containsExactly(Map.of("title", "Reservation confirmed", "status", "FAILED", "attempts", 4));
        assertThat(shown()).isEmpty();
        assertThat(secondsBetweenAttempts()).satisfiesExactly(atLeast(1), atLeast(2), atLeast(4));
        assertThat(output.getOut().lines().filter((line) -> line.contains(" ERROR ") && line.contains(api.traceId())))
                .anySatisfy((line) -> assertThat(line).contains("push.send gave up"))
                .anySatisfy((line) -> assertThat(line).contains("failed for good after 4 attempts: GatewayException"));
    }

    @Test
    void skippedPushEndsAsFailed() {
        api.change("pause", "handler", "push.send");
        try {
            api.confirm(api.reserve(user));
            await().atMost(Api.DEADLINE)
                    .untilAsserted(() ->
                            assertThat(api.events()).extracting("status").containsExactly("PUBLISHED", "RETRYING"));

            assertThat(api.operate(
                            "skip",
                            "handler=push.send&event=" + api.events().get(1).get("eventId")))
                    .containsEntry("affected", 1);
            awaitFailed("skipped by an operator");
        } finally {
            api.change("resume", "handler", "push.send");
        }
    }

    @Test
    void unreadableEventEndsAsFailed() {
        UUID message = UUID.randomUUID();
        transaction.executeWithoutResult((status) -> {
            jdbc.sql("INSERT INTO push.inbox (id, user_id, title, body) VALUES (:id, :user, 'title', 'body')")
                    .param("id", message)
                    .param("user", user)
                    .update();
            outbox.publish(OutboxEvent.of("push", message.toString(), Map.of("notificationId", "none"))
                    .withEventType("PushRequested"));
        });

        awaitFailed("UNDECODABLE_PAYLOAD");
    }

    @ParameterizedTest
    @CsvSource({"push.reservation-confirmed, 0", "push.send, 1"})
    void replayedPushIsNotSentTwice(String handler, int event) {
        api.confirm(api.reserve(user));
        assertThat(api.awaitPublished()).containsExactly("ReservationConfirmed", "PushRequested");

        String[] aggregate = api.events().get(event).get("aggregate").toString().split("/", 2);
        Map<String, Object> progress =
                api.replay("handler=%s&aggregateType=%s&aggregateId=%s".formatted(handler, aggregate[0], aggregate[1]));

        assertThat(progress).containsEntry("fed", 1).containsEntry("dead", Map.of("value", 0, "exact", true));
        assertThat(inbox()).containsExactly(Map.of("title", "Reservation confirmed", "status", "SENT", "attempts", 1));
        assertThat(shown()).hasSize(1);
    }

    private void signUp(String name) {
        api.create("/users", "{\"discordUserId\": \"%s\"}".formatted(name), "$.id");
    }

    private List<Map<String, Object>> inbox() {
        return api.get("/inbox/" + user, "$[*]['title', 'status', 'attempts']");
    }

    private void awaitFailed(String failure) {
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.<List<Object>>get("/inbox/" + user, "$[*]['status', 'failure']"))
                        .containsExactly(Map.of("status", "FAILED", "failure", failure)));
    }

    private List<String> shown() {
        return api.get("/devices/" + user + "/messages", "$");
    }

    private List<Double> secondsBetweenAttempts() {
        return jdbc.sql("""
                        SELECT extract(epoch FROM asked_at - lag(asked_at) OVER (ORDER BY id))
                          FROM push.simulated_sends
                         WHERE user_id = :userId
                         ORDER BY id
                        OFFSET 1
                        """).param("userId", user).query(Double.class).list();
    }

    /** On a busy machine a retry may come late, but never early. */
    private static ThrowingConsumer<Double> atLeast(int seconds) {
        return (gap) -> assertThat(gap).isGreaterThanOrEqualTo(seconds - 0.01);
    }

    /** As the previous release published it. */
    @EventType(value = "ReservationConfirmed", version = 1, copy = true)
    private record FormerReservationConfirmed(
            UUID reservationId, String userId, String place, LocalDateTime startsAt) {}
}
