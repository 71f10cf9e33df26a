package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.test.context.TestPropertySource;

/** The service with a password for operators, and without the demo. */
@SampleTest
@TestPropertySource(properties = {"sample.security.password=secret-1", "demo.enabled=false"})
class LoginTest {

    private static final String PAUSE = "/actuator/outbox/pause";

    @LocalServerPort
    private int port;

    @Autowired
    private ApplicationContext context;

    @ParameterizedTest
    @CsvSource({
        "GET, /actuator/outbox/operations",
        "GET, /actuator/outbox/deliveries",
        "POST, /actuator/outbox/skip",
        "POST, " + PAUSE,
        "GET, /demo/faults",
        "GET, /actuator/outbox",
        "GET, /events",
        "GET, /events?trace=1",
        "GET, /audit",
        "GET, /inbox/ann",
        "GET, /notifications",
        "PUT, /devices/ann",
        "DELETE, /devices/ann",
        "GET, /devices/ann/messages",
        "POST, /discord/events",
        "PUT, /settings/kill-switch",
        "PUT, /settings/max-volume",
        "POST, /actuator/outbox/retry"
    })
    void operationWithoutLoginIsRefused(String method, String path) {
        for (Api api : List.of(new Api(port), login("operator", "secret-2"), login("root", "secret-1"))) {
            ResponseEntity<String> answer = switch (method) {
                case "GET" -> api.get(path);
                case "PUT" -> api.put(path, "{}");
                case "DELETE" -> api.delete(path);
                default -> api.post(path, "{}");
            };

            assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.UNAUTHORIZED);
            assertThat(answer.getHeaders().getFirst(HttpHeaders.WWW_AUTHENTICATE))
                    .startsWith("Basic");
            assertThat(answer.getHeaders().headerNames()).doesNotContain(HttpHeaders.SET_COOKIE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"actor\": \"mallory\", "})
    void operationLogHasNameOfLogin(String actor) {
        Api operator = login("operator", "secret-1");
        String stream = "{\"stream\": \"push\", " + actor + "\"reason\": \"maintenance\"}";

        assertThat(operator.<Boolean>create(PAUSE, stream, "$.changed")).isTrue();
        assertThat(operator.<Boolean>create("/actuator/outbox/resume", stream, "$.changed"))
                .isTrue();

        assertThat(operator.<List<String>>get("/actuator/outbox/operations?limit=2", "$.operations[*].action"))
                .containsExactly("RESUME_STREAM", "PAUSE_STREAM");
        assertThat(operator.<List<String>>get("/actuator/outbox/operations?limit=2", "$.operations[*].performedBy"))
                .containsExactly("operator", "operator");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/licenses", "/actuator/health", "/actuator/metrics", "/actuator/prometheus"})
    void everythingElseIsOpen(String path) {
        assertThat(new Api(port).get(path).getStatusCode()).isEqualTo(HttpStatus.OK);
    }

    @Test
    void foreignPageUsesNoLoginOfTheBrowser() {
        Api browser = new Api(port, (headers) -> {
            headers.setBasicAuth("operator", "secret-1");
            headers.set("Sec-Fetch-Site", "cross-site");
        });

        assertThat(browser.post(PAUSE, "{\"stream\": \"push\", \"reason\": \"maintenance\"}")
                        .getStatusCode())
                .isEqualTo(HttpStatus.FORBIDDEN);
        assertThat(browser.get("/actuator/outbox/operations").getStatusCode()).isEqualTo(HttpStatus.OK);
    }

    @Test
    void changesAreOpenToo() {
        assertThat(new Api(port).subscribe("guild-open", "pro")).isNotBlank();
    }

    @Test
    void errorPageIsOpen() {
        assertThat(new Api(port).get("/nothing").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(new Api(port).get("/error").getBody()).contains("\"status\":999");
    }

    @Test
    void demoThatIsOffDoesNotExist() {
        Api operator = login("operator", "secret-1");

        assertThat(operator.get("/demo/faults").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(context.getBeansOfType(Advisor.class)).doesNotContainKey("faultyHandlers");
    }

    private Api login(String user, String password) {
        return new Api(port, (headers) -> headers.setBasicAuth(user, password));
    }
}
