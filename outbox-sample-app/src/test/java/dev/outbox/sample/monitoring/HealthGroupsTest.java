package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
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
            "management.endpoints.web.exposure.include=health"
        })
class HealthGroupsTest {

    @Autowired
    private Api api;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void probesStayUpAndLeaveTheOutboxOut() {
        jdbc.sql("ALTER TABLE events.outbox_handler RENAME TO outbox_handler_elsewhere")
                .update();
        await().atMost(Api.DEADLINE)
                .untilAsserted(() ->
                        assertThat(api.text("/actuator/health", "$.status")).isEqualTo("DOWN"));

        assertThat(api.text("/actuator/health", "$.components.outbox.details.reason"))
                .startsWith("the database refused to count the events");
        assertThat(api.get("/actuator/health/delivery").getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        for (String probe : new String[] {"liveness", "readiness"}) {
            ResponseEntity<String> answer = api.get("/actuator/health/" + probe);
            assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
            assertThat(answer.getBody()).contains("\"status\":\"UP\"").doesNotContain("outbox");
        }
    }
}
