package dev.outbox.sample.http;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

class GatewayClientTest {

    private static final int LIMIT = 4 * 1024 * 1024;

    @RegisterExtension
    private static final WireMockExtension server = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    private final GatewayClient client = new GatewayClient(
            "the gateway", new GatewayTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(30)), Clock.systemUTC());

    @Test
    void longAnswerIsReadToItsEnd() {
        String text = "a".repeat(LIMIT - 10);

        assertThat(call(200, "{\"id\": \"" + text + "\"}").json().path("id").asString())
                .isEqualTo(text);
    }

    @Test
    void successThatWasCutIsUnreadable() {
        String body = "{\"id\": \"1\"}";
        Answer answer = call(200, body + " ".repeat(LIMIT + 1 - body.length()));

        assertThat(answer.isSuccess()).isTrue();
        assertThatThrownBy(answer::json).isInstanceOf(GatewayException.class);
    }

    @Test
    void successThatIsNoJsonIsUnreadable() {
        assertThatThrownBy(call(200, "{\"id\": \"1")::json)
                .isInstanceOf(GatewayException.class)
                .hasMessage("the gateway answered 200 with an unreadable body");
    }

    @Test
    void successMayBeEmpty() {
        assertThat(call(204, "").json().path("id").isMissingNode()).isTrue();
    }

    @Test
    void failureMayBeNoJson() {
        assertThat(call(502, "<html>").json()).isEmpty();
    }

    private Answer call(int status, String body) {
        server.stubFor(any(anyUrl()).willReturn(aResponse().withStatus(status).withBody(body)));
        return client.sendJson(HttpMethod.GET, URI.create(server.baseUrl()), new HttpHeaders(), null);
    }
}
