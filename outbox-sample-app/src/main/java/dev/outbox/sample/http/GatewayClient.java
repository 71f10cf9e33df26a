package dev.outbox.sample.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClient.RequestBodySpec;
import tools.jackson.databind.json.JsonMapper;

/** HTTP client for one gateway. Its exceptions name the gateway, and neither addresses nor keys. */
public final class GatewayClient {

    /** Longest part of an answer that is read. */
    private static final int MAX_BODY = 4 * 1024 * 1024;

    private final String gateway;
    private final RestClient http;
    private final Clock clock;

    /** Creates a client. Exceptions have the name of the gateway. */
    public GatewayClient(String gateway, GatewayTimeouts timeouts, Clock clock) {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(HttpClient.newBuilder()
                .version(Version.HTTP_1_1)
                .connectTimeout(timeouts.connect())
                .followRedirects(Redirect.NEVER)
                .build());
        requests.setReadTimeout(timeouts.read());
        this.gateway = gateway;
        this.http = RestClient.builder().requestFactory(requests).build();
        this.clock = clock;
    }

    /**
     * Posts a body, and returns the answer, whatever its status.
     *
     * @throws GatewayException if there is no answer in time
     */
    public Answer post(URI uri, HttpHeaders headers, byte[] body) {
        return send(HttpMethod.POST, uri, headers, body);
    }

    /**
     * Sends a request with a JSON body or none, and returns the answer, whatever its status.
     *
     * @throws GatewayException if there is no answer in time
     */
    public Answer sendJson(HttpMethod method, URI uri, HttpHeaders headers, @Nullable Object body) {
        if (body == null) {
            return send(method, uri, headers, null);
        }
        headers.setContentType(MediaType.APPLICATION_JSON);
        return send(method, uri, headers, JsonMapper.shared().writeValueAsBytes(body));
    }

    private Answer send(HttpMethod method, URI uri, HttpHeaders headers, byte @Nullable [] body) {
        try {
            RequestBodySpec call = http.method(method).uri(uri).headers((all) -> all.addAll(headers));
            if (body != null) {
                call.body(body);
            }
            return call.exchangeForRequiredValue((request, response) -> answer(response));
        } catch (ResourceAccessException ex) {
            throw noAnswer(ex.getCause());
        }
    }

    private Answer answer(ClientHttpResponse response) throws IOException {
        byte[] body = response.getBody().readNBytes(MAX_BODY + 1);
        return new Answer(
                gateway,
                response.getStatusCode().value(),
                response.getHeaders(),
                new String(body, 0, Math.min(body.length, MAX_BODY), StandardCharsets.UTF_8),
                body.length > MAX_BODY,
                clock.instant());
    }

    /** Leaves out the exception of Spring, whose message contains the address. */
    private GatewayException noAnswer(@Nullable Throwable cause) {
        String reason = cause instanceof IOException ? cause.getClass().getSimpleName() : "no answer";
        return new GatewayException("%s did not answer: %s".formatted(gateway, reason), cause);
    }
}
