package dev.outbox.sample.webhook;

import org.jspecify.annotations.Nullable;

/** Thrown if a receiver did not confirm a webhook. It may have processed it; repeat the call with the same id. */
public final class WebhookException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WebhookException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
