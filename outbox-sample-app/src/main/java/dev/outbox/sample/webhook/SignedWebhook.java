package dev.outbox.sample.webhook;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.RetryAfter;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.json.JsonMapper;

/** Webhook that posts JSON to one URL, signed as the Standard Webhooks specification describes. */
public final class SignedWebhook {

    private static final Set<Integer> RETRYABLE = Set.of(408, 425, 429);

    private final String name;
    private final URI url;
    private final SigningKey key;
    private final RestClient http;
    private final JsonMapper json;
    private final Clock clock;

    private SignedWebhook(String name, URI url, SigningKey key, RestClient http, JsonMapper json, Clock clock) {
        this.name = name;
        this.url = url;
        this.key = key;
        this.http = http;
        this.json = json;
        this.clock = clock;
    }

    /**
     * Creates a webhook.
     *
     * @param name the name of its properties, which appears in messages
     * @param settings the properties
     * @param json writes the bodies
     * @param clock the clock of the signatures
     * @return the webhook
     * @throws IllegalStateException if the URL or the secret is missing or malformed
     */
    public static SignedWebhook of(String name, WebhookSettings settings, JsonMapper json, Clock clock) {
        return new SignedWebhook(
                name,
                url(name + ".url", settings.url()),
                key(name + ".secret", settings.secret()),
                client(settings),
                json,
                clock);
    }

    /**
     * Posts a body and waits for the receiver's confirmation, a status of 200 to 299.
     *
     * @param id the same for each attempt, so that the receiver can recognise a repetition
     * @param body written as JSON
     * @throws NonRetryableException if the receiver refused the request
     * @throws RetryAfterException if the receiver named the time of the next attempt
     * @throws WebhookException if the receiver did not confirm the request, so that a retry may succeed
     */
    public void post(UUID id, Object body) {
        Answer answer = send(id, json.writeValueAsBytes(body));
        int status = answer.status();
        if (status / 100 == 2) {
            return;
        }
        String message = name + " answered " + status + " to message " + id;
        if (status / 100 == 4 && !RETRYABLE.contains(status)) {
            throw new NonRetryableException(message);
        }
        throw answer.delay()
                .<RuntimeException>map((delay) -> new RetryAfterException(delay, message))
                .orElseGet(() -> new WebhookException(message, null));
    }

    private Answer send(UUID id, byte[] body) {
        long timestamp = clock.instant().getEpochSecond();
        try {
            return http.post()
                    .uri(url)
                    .contentType(MediaType.APPLICATION_JSON)
                    .header("Idempotency-Key", id.toString())
                    .header("webhook-id", id.toString())
                    .header("webhook-timestamp", Long.toString(timestamp))
                    .header("webhook-signature", key.sign(id.toString(), timestamp, body))
                    .body(body)
                    .exchangeForRequiredValue((request, response) -> new Answer(
                            response.getStatusCode().value(), RetryAfter.of(response.getHeaders(), clock.instant())));
        } catch (ResourceAccessException ex) {
            // Its message would contain the URL.
            throw new WebhookException(name + " did not answer to message " + id, ex.getCause());
        }
    }

    private static RestClient client(WebhookSettings settings) {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(settings.connectTimeout())
                .build();
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(client);
        requests.setReadTimeout(settings.readTimeout());
        return RestClient.builder().requestFactory(requests).build();
    }

    private static URI url(String property, @Nullable URI url) {
        if (url == null) {
            throw new IllegalStateException(property + " is missing; set it to the URL of the receiver");
        }
        if (url.getHost() == null || !Set.of("http", "https").contains(url.getScheme())) {
            throw new IllegalStateException(property + " must be an absolute http or https URL");
        }
        return url;
    }

    private static SigningKey key(String property, @Nullable String secret) {
        if (secret == null || secret.isBlank()) {
            throw new IllegalStateException(property + " is missing; set it to the signing key of the receiver");
        }
        try {
            return SigningKey.parse(secret);
        } catch (IllegalArgumentException ex) {
            throw new IllegalStateException(property + " " + ex.getMessage());
        }
    }

    private record Answer(int status, Optional<Duration> delay) {}
}
