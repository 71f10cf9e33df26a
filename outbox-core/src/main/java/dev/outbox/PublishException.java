package dev.outbox;

import org.jspecify.annotations.Nullable;

/** An event was refused when it was published. Nothing was stored. */
public abstract class PublishException extends OutboxException {

    private static final long serialVersionUID = 1L;

    PublishException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
