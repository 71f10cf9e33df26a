package dev.outbox.sample.push;

/** Gateway to phones. It may lose messages, but the inbox keeps them. */
interface PushGateway {

    /**
     * Sends a message.
     *
     * @return whether the phone is still registered; if not, no attempt can succeed
     * @throws GatewayException if the gateway did not accept the message, so that a retry may succeed
     */
    boolean send(InboxMessage message);

    /** The gateway did not accept a message. */
    final class GatewayException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        GatewayException(String message) {
            super(message);
        }
    }
}
