package dev.outbox.sample.http;

import org.jspecify.annotations.Nullable;

/** Thrown if a gateway did not accept a message, but can accept it later. */
public final class GatewayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception whose message contains no key and no address of a device. */
    public GatewayException(String message) {
        this(message, null);
    }

    /** Creates an exception with a cause, of which the same is true. */
    public GatewayException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
