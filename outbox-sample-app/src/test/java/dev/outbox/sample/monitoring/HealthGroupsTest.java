package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.test.context.TestPropertySource;

/** What a platform asks: an outbox that is down neither restarts an instance nor takes it out of service. */
@SampleTest
@TestPropertySource(
        properties = {
            "management.endpoint.health.probes.enabled=true",
            "management.endpoint.health.group.delivery.include=outbox",
            "management.endpoints.web.exposure.include=health",
            "outbox.health.max-dead=0",
            "outbox.metrics.gauge-max-age=0s"
        })
class HealthGroupsTest {

    @LocalServerPort
    private int port;

    @Test
    void probesStayUpAndLeaveTheOutboxOut() {
        Api api = new Api(port);
        api.put("/settings/max-volume", "{\"volume\": 100}");
        api.awaitPublished();
        api.create("/signals", """
                {"ownerId": "o", "strategyKey": "EXTREME_FLIP", "market": "KRW-%s", "side": "BUY", "volume": 101}
                """.formatted(UUID.randomUUID()), "$.orderIntentId");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() ->
                        assertThat(api.text("/actuator/health", "$.status")).isEqualTo("DOWN"));

        assertThat(api.text("/actuator/health", "$.components.outbox.details.reason"))
                .isEqualTo("1 dead events (everbit.trade.command: 1), above outbox.health.max-dead of 0");
        assertThat(api.get("/actuator/health/delivery").getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        for (String probe : new String[] {"liveness", "readiness"}) {
            ResponseEntity<String> answer = api.get("/actuator/health/" + probe);
            assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
            assertThat(answer.getBody()).contains("\"status\":\"UP\"").doesNotContain("outbox");
        }
    }
}
