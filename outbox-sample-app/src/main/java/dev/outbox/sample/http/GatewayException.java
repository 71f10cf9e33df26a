package dev.outbox.sample.http;

import org.jspecify.annotations.Nullable;

/** Thrown if a gateway did not accept a message, but can accept it later. */
public final class GatewayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what the gateway answered, without any key or address of a device
     */
    public GatewayException(String message) {
        this(message, null);
    }

    /**
     * Creates the exception.
     *
     * @param message what the gateway answered, without any key or address of a device
     * @param cause the cause, or {@code null}
     */
    public GatewayException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
