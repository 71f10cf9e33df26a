package dev.outbox.sample.notification;

import dev.outbox.sample.webhook.SignedWebhook;
import java.util.UUID;

/** Messenger that posts each message to a webhook. */
final class WebhookMessenger implements Messenger {

    private final SignedWebhook webhook;

    WebhookMessenger(SignedWebhook webhook) {
        this.webhook = webhook;
    }

    @Override
    public void send(String recipient, String message, UUID idempotencyKey) {
        webhook.post(idempotencyKey, new Body(recipient, message));
    }

    record Body(String recipient, String message) {}
}
