package dev.outbox.sample.webhook;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of a webhook. The first two have no default.
 *
 * @param url Where to post.
 * @param secret Key of the signatures: 'whsec_' and 24 to 64 bytes in base64.
 * @param connectTimeout How long to wait for the connection.
 * @param readTimeout How long to wait for the response.
 */
public record WebhookSettings(
        @Nullable URI url,
        @Nullable String secret,
        @DefaultValue("2s") Duration connectTimeout,
        @DefaultValue("5s") Duration readTimeout) {

    /** Omits the secret, and the URL, whose path may be one. */
    @Override
    public String toString() {
        return "WebhookSettings[connectTimeout=" + connectTimeout + ", readTimeout=" + readTimeout + "]";
    }
}
