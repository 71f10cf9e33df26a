package dev.outbox.sample.push;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.http.GatewayException;

/** Port to the service that carries messages to devices. It may lose messages; the inbox keeps them. */
public interface PushGateway {

    /**
     * Checks a device before it is stored.
     *
     * @param device the device
     * @throws IllegalArgumentException if this gateway cannot reach such a device; the message is for the user
     */
    void check(Device device);

    /**
     * Sends a message. Called outside any transaction, and again with the same message if the outcome of an attempt is unknown.
     *
     * @param message the message
     * @param device its recipient's device
     * @return whether the gateway accepted the message
     * @throws GatewayException if a retry can succeed
     * @throws RetryAfterException if the gateway says when a retry can succeed
     * @throws NonRetryableException if no retry can succeed
     */
    Result send(PushMessage message, Device device);

    /** Answer of a gateway. */
    enum Result {
        /** The gateway took the message over. */
        ACCEPTED,
        /** The device is not registered any more, and never will be. */
        DEVICE_GONE
    }
}
