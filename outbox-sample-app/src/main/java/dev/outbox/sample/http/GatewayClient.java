package dev.outbox.sample.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** HTTP client for one gateway. Its exceptions name the gateway, and neither addresses nor keys. */
public final class GatewayClient {

    /** Longest part of an answer that is read. */
    private static final int MAX_BODY = 64 * 1024;

    private final String gateway;
    private final RestClient http;
    private final Clock clock;

    /**
     * Creates a client.
     *
     * @param gateway the name of the gateway in exceptions
     * @param timeouts the limits of a call
     * @param clock the clock for dates in answers
     */
    public GatewayClient(String gateway, GatewayTimeouts timeouts, Clock clock) {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(HttpClient.newBuilder()
                .connectTimeout(timeouts.connect())
                .followRedirects(Redirect.NEVER)
                .build());
        requests.setReadTimeout(timeouts.read());
        this.gateway = gateway;
        this.http = RestClient.builder().requestFactory(requests).build();
        this.clock = clock;
    }

    /**
     * Posts a body, and returns any answer.
     *
     * @param uri where to
     * @param headers the headers
     * @param body the body
     * @return the answer, whatever its status
     * @throws GatewayException if there is no answer in time
     */
    public Answer post(URI uri, HttpHeaders headers, byte[] body) {
        try {
            return http.post()
                    .uri(uri)
                    .headers((all) -> all.addAll(headers))
                    .body(body)
                    .exchangeForRequiredValue((request, response) -> new Answer(
                            gateway,
                            response.getStatusCode().value(),
                            response.getHeaders(),
                            new String(response.getBody().readNBytes(MAX_BODY), StandardCharsets.UTF_8),
                            clock.instant()));
        } catch (ResourceAccessException ex) {
            throw noAnswer(ex.getCause());
        }
    }

    /** Leaves out the exception of Spring, whose message contains the address. */
    private GatewayException noAnswer(@Nullable Throwable cause) {
        String reason = cause instanceof IOException ? cause.getClass().getSimpleName() : "no answer";
        return new GatewayException("%s did not answer: %s".formatted(gateway, reason), cause);
    }
}
