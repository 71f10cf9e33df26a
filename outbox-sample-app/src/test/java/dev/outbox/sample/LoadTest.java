package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Traffic at the push of a button. */
@SampleTest
class LoadTest {

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
    }

    @AfterEach
    void stop() {
        api.delete("/demo/load");
    }

    @Test
    void loadOfEveryContextIsPublishedAndHandled() {
        long newest = jdbc.sql("SELECT coalesce(max(id), 0) FROM events.outbox")
                .query(Long.class)
                .single();

        assertThat(api.post("/demo/load?rate=60&seconds=2", "").getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);

        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.find("/demo/load"))
                        .containsEntry("running", false)
                        .containsEntry("asked", 120)
                        .containsEntry("published", 120)
                        .containsEntry("failed", 0)
                        .containsEntry("backlog", 0));
        assertThat(api.<Integer>get("/demo/load", "$.handled")).isGreaterThan(120);
        Map<String, Long> events = eventsAfter(newest);
        assertThat(events.get("BotInstalled") + events.get("BotKicked")).isEqualTo(30);
        assertThat(events.get("UserRegistered") + events.get("UserSessionCreated"))
                .isEqualTo(30);
        assertThat(events.get("OrderPlaced") + events.get("OrderPaid")).isEqualTo(30);
        assertThat(events.get("CreateOrderAttempt")).isEqualTo(30);
    }

    @Test
    void loadTakesItsTime() {
        long begun = System.nanoTime();
        api.post("/demo/load?rate=20&seconds=2", "");

        await().atMost(Api.DEADLINE).until(() -> !api.<Boolean>get("/demo/load", "$.running"));

        // The last of the forty is due after 1.95 s.
        assertThat(System.nanoTime() - begun).isGreaterThan(1_900_000_000L);
    }

    @Test
    void loadCanBeStoppedAndThereIsOneAtATime() {
        api.post("/demo/load?rate=1&seconds=600", "");

        assertThat(api.post("/demo/load?rate=1&seconds=1", "").getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
        assertThat(api.<Boolean>get("/demo/load", "$.running")).isTrue();

        api.delete("/demo/load");

        assertThat(api.find("/demo/load")).containsEntry("running", false).containsEntry("asked", 600);
        assertThat(api.<Integer>get("/demo/load", "$.published")).isLessThan(600);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rate=0&seconds=1",
                "rate=1001&seconds=1",
                "rate=1&seconds=0",
                "rate=1&seconds=3601",
                "rate=many&seconds=1",
                "seconds=1"
            })
    void badValuesAreRefused(String values) {
        assertThat(api.post("/demo/load?" + values, "")).satisfies((answer) -> {
            assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
            assertThat(answer.getHeaders().getContentType()).hasToString("application/problem+json");
        });
        assertThat(api.<Boolean>get("/demo/load", "$.running")).isFalse();
    }

    private Map<String, Long> eventsAfter(long newest) {
        List<Map<String, Object>> counts =
                jdbc.sql("""
                        SELECT event_type, count(*) AS events
                          FROM events.outbox
                         WHERE id > :newest
                         GROUP BY event_type
                        """).param("newest", newest).query().listOfRows();
        return counts.stream()
                .collect(Collectors.toMap((row) -> (String) row.get("event_type"), (row) -> (Long) row.get("events")));
    }
}
