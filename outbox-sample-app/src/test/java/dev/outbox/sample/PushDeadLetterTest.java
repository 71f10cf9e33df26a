package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** However a push ends, its message does not stay pending. */
@Tag("full")
@SampleTest
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
@TestPropertySource(
        properties = {"outbox.handlers.[push.send].timeout=3s", "outbox.handlers.[push.send].retry.delays=100ms"})
class PushDeadLetterTest {

    private final String user = "user-" + UUID.randomUUID();

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private OutboxPublisher outbox;

    @Autowired
    private TransactionTemplate transaction;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
        api.put("/devices/" + user, "");
    }

    @AfterEach
    void endFaults() {
        api.delete("/demo/faults");
    }

    @ParameterizedTest
    @CsvSource({"hang=true, HANDLER_TIMEOUT", "failPercent=100, InjectedFaultException"})
    void failureOfAnyKindEndsAsFailed(String fault, String code, CapturedOutput output) {
        api.post("/demo/faults/handlers/push.send?" + fault, "");

        confirmReservation();

        awaitFailed(code);
        assertThat(output.getOut().lines())
                .anySatisfy((line) -> assertThat(line)
                        .contains(" ERROR ", api.traceId(), "failed for good after 4 attempts: " + code));
    }

    @Test
    void skippedPushEndsAsFailed() {
        setHandler("pause");
        try {
            confirmReservation();
            await().atMost(Api.DEADLINE)
                    .untilAsserted(() ->
                            assertThat(api.events()).extracting("status").containsExactly("PUBLISHED", "RETRYING"));

            Object skipped = api.create(
                    "/actuator/outbox/skip", """
                    {"selection": "handler=push.send&event=%s", "actor": "ann", "reason": "called by phone"}
                    """.formatted(api.events().get(1).get("eventId")), "$.affected");

            assertThat(skipped).isEqualTo(1);
            awaitFailed("skipped by an operator");
        } finally {
            setHandler("resume");
        }
    }

    private void setHandler(String action) {
        api.post(
                "/actuator/outbox/" + action,
                "{\"handler\": \"push.send\", \"actor\": \"ann\", \"reason\": \"the gateway is being moved\"}");
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

    private void confirmReservation() {
        String reservation = api.create("/reservations", """
                {"userId": "%s", "place": "sauna", "startsAt": "2030-01-01T18:00:00Z"}
                """.formatted(user), "$.id");
        api.create("/reservations/" + reservation + "/confirmation", "", "$.id");
    }

    private void awaitFailed(String code) {
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.<List<Object>>get("/inbox/" + user, "$[*]['status', 'failure']"))
                        .containsExactly(Map.of("status", "FAILED", "failure", code)));
    }
}
