package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Example 1 of the event flow: one request, a chain of two events, three contexts that act on them. */
@SampleTest
class SubscriptionFlowTest {

    private static final Duration DEADLINE = Duration.ofSeconds(10);

    @LocalServerPort
    private int port;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
    }

    @Test
    void subscriptionIsLicensedAnnouncedAndAudited() {
        long requested = System.nanoTime();
        String subscription = api.subscribe("guild-flow", "pro");
        await().pollInterval(Duration.ofMillis(5)).atMost(DEADLINE).untilAsserted(() -> {
            assertThat(api.auditOf("guild-flow")).hasSize(2);
            assertThat(api.notificationsOf("guild-flow")).hasSize(1);
            assertThat(api.licensesOf("guild-flow")).hasSize(1);
        });
        System.out.printf(
                "Request to license, notification and both audit entries: %d ms%n",
                Duration.ofNanos(System.nanoTime() - requested).toMillis());

        Map<String, Object> license = api.licensesOf("guild-flow").get(0);
        assertThat(license)
                .containsEntry("subscriptionId", subscription)
                .containsEntry("planCode", "pro")
                .containsEntry("status", "active");
        assertThat(api.notificationsOf("guild-flow").get(0)).containsEntry("message", "pro activated");
        assertThat(api.auditOf("guild-flow"))
                .extracting("eventType", "payload")
                .containsExactlyInAnyOrder(
                        tuple(
                                "SubscriptionStarted",
                                Map.of("subscription_id", subscription, "guild_id", "guild-flow", "plan_code", "pro")),
                        tuple(
                                "LicenseGranted",
                                Map.of("license_id", license.get("id"), "guild_id", "guild-flow", "plan_code", "pro")));
    }

    @Test
    void eventsEndAsPublished() {
        String subscription = api.subscribe("guild-published", "pro");

        await().pollInterval(Duration.ofMillis(5)).atMost(DEADLINE).untilAsserted(() -> {
            List<Map<String, Object>> events =
                    api.get("/outbox", "$[?(@.aggregate == 'subscription/%s')]".formatted(subscription));
            assertThat(events)
                    .singleElement()
                    .satisfies((event) -> assertThat(event)
                            .containsEntry("eventType", "SubscriptionStarted")
                            .containsEntry("aggregateSeq", 1)
                            .containsEntry("status", "PUBLISHED")
                            .containsEntry("retryCount", 0)
                            .hasEntrySatisfying(
                                    "publishedAt", (time) -> assertThat(time).isNotNull()));
        });
    }

    @Test
    void startedSubscriptionIsFoundWhereItsLocationSays() {
        ResponseEntity<String> started =
                api.post("/subscriptions", "{\"guildId\": \"guild-location\", \"planCode\": \"pro\"}");

        assertThat(started.getStatusCode()).isEqualTo(HttpStatus.CREATED);
        ResponseEntity<String> found =
                api.get(started.getHeaders().getLocation().getPath());
        assertThat(found.getStatusCode()).isEqualTo(HttpStatus.OK);
        assertThat(found.getBody()).isEqualTo(started.getBody());
    }

    @Test
    void badInputIsAProblem() {
        for (String body : List.of(
                "{\"planCode\": \"pro\"}",
                "{\"guildId\": \" \", \"planCode\": \"pro\"}",
                "{\"guildId\": \"guild-1\", \"planCode\": \"\\u0000\"}",
                "{\"guildId\": ")) {
            assertProblem(api.post("/subscriptions", body), HttpStatus.BAD_REQUEST);
        }
        assertProblem(api.get("/subscriptions/1"), HttpStatus.BAD_REQUEST);
    }

    @Test
    void unknownSubscriptionIsAProblem() {
        assertProblem(api.get("/subscriptions/00000000-0000-0000-0000-000000000000"), HttpStatus.NOT_FOUND);
    }

    private static void assertProblem(ResponseEntity<String> answer, HttpStatus status) {
        assertThat(answer.getStatusCode()).isEqualTo(status);
        assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
    }
}
