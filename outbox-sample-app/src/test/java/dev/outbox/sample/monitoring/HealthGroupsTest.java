package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** What a platform asks: an outbox that is down neither restarts an instance nor takes it out of service. */
@SampleTest
@Import(FreshGauges.class)
@TestPropertySource(
        properties = {
            "management.endpoint.health.probes.enabled=true",
            "management.endpoint.health.group.delivery.include=outbox",
            "management.endpoints.web.exposure.include=health",
            "outbox.health.max-oldest=1m"
        })
class HealthGroupsTest {

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void probesStayUpAndLeaveTheOutboxOut() {
        Api api = new Api(port);
        jdbc.sql("""
                INSERT INTO events.outbox
                    (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at)
                VALUES ('elsewhere', 'order', '1', 1, 'OrderPlaced', '{}', now() - interval '2 minutes')
                """).update();
        await().atMost(Api.DEADLINE)
                .untilAsserted(() ->
                        assertThat(api.text("/actuator/health", "$.status")).isEqualTo("DOWN"));

        assertThat(api.text("/actuator/health", "$.components.outbox.details.reason"))
                .matches("the oldest pending event of stream elsewhere is 12\\d\\.\\d+ s old,"
                        + " above outbox.health.max-oldest of 60.0 s");
        assertThat(api.get("/actuator/health/delivery").getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        for (String probe : new String[] {"liveness", "readiness"}) {
            ResponseEntity<String> answer = api.get("/actuator/health/" + probe);
            assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
            assertThat(answer.getBody()).contains("\"status\":\"UP\"").doesNotContain("outbox");
        }
    }
}
