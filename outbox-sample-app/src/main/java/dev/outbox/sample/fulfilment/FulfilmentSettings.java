package dev.outbox.sample.fulfilment;

import dev.outbox.sample.webhook.WebhookSettings;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of fulfilment.
 *
 * @param courier Adapter that books the parcels.
 * @param webhook Webhook of the adapter 'webhook'.
 */
@ConfigurationProperties("fulfilment")
record FulfilmentSettings(
        @DefaultValue("simulated") Adapter courier,
        @DefaultValue WebhookSettings webhook) {

    /** Adapters of the courier. */
    enum Adapter {
        SIMULATED,
        WEBHOOK
    }
}
