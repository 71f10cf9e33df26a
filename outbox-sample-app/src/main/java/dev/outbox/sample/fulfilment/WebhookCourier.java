package dev.outbox.sample.fulfilment;

import dev.outbox.sample.webhook.SignedWebhook;
import java.util.UUID;

/** Courier that takes bookings by webhook. */
final class WebhookCourier implements Courier {

    private final SignedWebhook webhook;

    WebhookCourier(SignedWebhook webhook) {
        this.webhook = webhook;
    }

    @Override
    public void book(UUID key, String orderId) {
        webhook.post(key, new Booking(orderId));
    }

    record Booking(String orderId) {}
}
