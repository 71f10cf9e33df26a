package dev.outbox.sample.webhook;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.Answer;
import dev.outbox.sample.http.GatewayClient;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.http.GatewayTimeouts;
import java.net.URI;
import java.time.Clock;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** Webhook that posts JSON to one URL, signed as the Standard Webhooks specification describes. */
public final class SignedWebhook {

    private final URI url;
    private final SigningKey key;
    private final GatewayClient http;
    private final JsonMapper json;
    private final Clock clock;

    private SignedWebhook(URI url, SigningKey key, GatewayClient http, JsonMapper json, Clock clock) {
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
                url(name + ".url", settings.url()),
                key(name + ".secret", settings.secret()),
                new GatewayClient(name, new GatewayTimeouts(settings.connectTimeout(), settings.readTimeout()), clock),
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
     * @throws GatewayException if the receiver did not confirm the request, so that a retry may succeed
     */
    public void post(UUID id, Object body) {
        byte[] bytes = json.writeValueAsBytes(body);
        Answer answer = http.post(url, headers(id.toString(), bytes), bytes);
        if (!answer.isSuccess()) {
            throw answer.failure("to message " + id);
        }
    }

    private HttpHeaders headers(String id, byte[] body) {
        long timestamp = clock.instant().getEpochSecond();
        HttpHeaders headers = new HttpHeaders();
        headers.setContentType(MediaType.APPLICATION_JSON);
        headers.set("Idempotency-Key", id);
        headers.set("webhook-id", id);
        headers.set("webhook-timestamp", Long.toString(timestamp));
        headers.set("webhook-signature", key.sign(id, timestamp, body));
        return headers;
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
}
